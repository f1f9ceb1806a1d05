package main

import (
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
)

// noisyPicture is gray with noise.
func noisyPicture(side, planes int) *camera.Picture {
	p := camera.NewPicture(side, side, planes)
	rng := rand.New(rand.NewPCG(1, uint64(side)))
	p.Each(func(float64) float64 { return 0.5 + 0.05*rng.NormFloat64() })
	return p
}

// Each size of a picture is looked at with the level of the first look, with one that is wrong, and if the steps of the file are known with the
// level that they give.
func TestLooks(t *testing.T) {
	for _, known := range []bool{false, true} {
		p := pair{noisy: noisyPicture(256, 3)}
		p.clean = p.noisy
		if known {
			p.steps = stepsOf(85, true, 3)
		}
		s := show(p)
		list := looksAt(p, s, nil, rand.New(rand.NewPCG(1, 2)))
		perSize := 2
		if known {
			perSize = 3
		}
		if len(s.Crops) != len(cropSides) || len(list) != perSize*len(s.Crops) {
			t.Fatalf("steps known: %v: %d looks at %d sizes", known, len(list), len(s.Crops))
		}
		r := recipe{Kind: "jpeg", File: "a.png"}
		c := curve{Name: r.name(), Sigma: []float64{0, 5, 10}, MSE: []float64{100, 20, 40}}
		samples := gatherSecond([]recipe{r}, map[string]curve{c.Name: c}, map[string]*shown{c.Name: s}, map[string][]look{c.Name: list})
		if len(samples) != len(list) {
			t.Fatalf("%d samples of %d looks", len(samples), len(list))
		}
		first := len(level.WithSteps(s.Crops[0], 3, level.Steps{}))
		for i, l := range list {
			got := samples[i]
			want := 1
			if l.Wrong && known {
				want = 2 // with the steps and without
			}
			if got.steps != l.Steps || len(got.inputs) != want {
				t.Errorf("look %+v: %d variants, steps %v", l.Crop, len(got.inputs), got.steps)
			}
			for _, x := range got.inputs {
				if len(x) != first+len(l.Features) {
					t.Errorf("%d inputs, want %d", len(x), first+len(l.Features))
				}
			}
		}
	}
}

// Twice the contrast moves the levels of the second look as it does those of the first.
func TestContrastMovesTheSecondLook(t *testing.T) {
	p := noisyPicture(128, 1)
	x := level.WithSteps(statistics(p), 1, level.Steps{})
	second := level.SecondLook(p.Planes, 128, 128, 5, half, 1)
	n := &level.Network{Inputs: len(x) + len(second), Scale: make([]float32, len(x)+len(second))}
	for i := range n.Scale {
		n.Scale[i] = 1
	}
	moved := 0
	for _, v := range contrastShifts(n)[0][len(x):] {
		if v == 1 {
			moved++
		}
	}
	if moved < len(second)/2 || moved == len(second) {
		t.Errorf("%d of %d numbers move", moved, len(second))
	}
}
