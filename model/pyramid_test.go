package model

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// smallPyramid has no stages on its middle level.
func smallPyramid(t testing.TB) *Pyramid {
	t.Helper()
	stage := func(c float64) Stage {
		l, err := NewLocal(8, DefaultSchedule(), []Transform{DCTBasis(8).Scale(c)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	p, err := NewPyramid([][]Stage{{stage(1.5)}, {}, {stage(1), stage(0.5)}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPyramidRemovesBroadNoise(t *testing.T) {
	const side = 128
	rng := rand.New(rand.NewPCG(1, 1))
	coarse := patchify.NewPlane(side/8, side/8)
	for i := range coarse.Pix {
		coarse.Pix[i] = float32(rng.NormFloat64())
	}
	noisy := patchify.NewPlane(side, side)
	for i := range noisy.Pix {
		noisy.Pix[i] = coarse.Row(i / side / 8)[i%side/8]
	}
	energy := func(stages ...Stage) (sum float64) {
		out, err := (&Model{Stages: stages}).Denoise(context.Background(), noisy, 1, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range out.Pix {
			sum += float64(v) * float64(v)
		}
		return sum / side / side
	}
	p := smallPyramid(t)
	if with, without := energy(p), energy(p.Levels[0]...); with > 0.7*without {
		t.Errorf("noise of energy 1 is left with %.3f, without the coarse levels with %.3f", with, without)
	}
}

// What TakeOver gives has the change that was made to the half, for changes that are linear.
func TestTakeOverOfALinearChange(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 20).Draw(rt, "w"), rapid.IntRange(1, 20).Draw(rt, "h")
		p := patchify.NewPlane(w, h)
		for i := range p.Pix {
			p.Pix[i] = float32(i*7%11) / 11
		}
		half := Halve(p)
		if half.Width != (w+1)/2 || half.Height != (h+1)/2 {
			rt.Fatalf("%d x %d halved is %d x %d", w, h, half.Width, half.Height)
		}
		change := func(x, y float64) float32 { return float32(0.5 + 0.1*x - 0.2*y) }
		coarse := patchify.NewPlane(half.Width, half.Height)
		for i := range coarse.Pix {
			coarse.Pix[i] = half.Pix[i] + change(2*float64(i%half.Width)+0.5, 2*float64(i/half.Width)+0.5)
		}
		out := TakeOver(p, half, coarse)
		for y := 1; y < h-2; y++ {
			for x := 1; x < w-2; x++ {
				want := p.Row(y)[x] + change(float64(x), float64(y))
				if d := math.Abs(float64(out.Row(y)[x] - want)); d > 1e-5 {
					rt.Fatalf("(%d, %d) is %g away", x, y, d)
				}
			}
		}
		if same := TakeOver(p, half, half); !slices.Equal(same.Pix, p.Pix) {
			rt.Fatal("no change changes the plane")
		}
	})
}

func TestHalveKeepsTheMean(t *testing.T) {
	p := patchify.Plane{Width: 3, Height: 2, Pix: []float32{1, 2, 3, 5, 6, 7}}
	if got, want := Halve(p).Pix, []float32{3.5, 5}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPyramidComesBackFromItsFile(t *testing.T) {
	p := smallPyramid(t)
	m := &Model{Info: Info{Name: "camera", Sigma: 4, Noise: CameraNoise}, Stages: []Stage{p}, Chroma: []Stage{p.Levels[2][0]}}
	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	if back.Info != m.Info || len(back.Chroma) != 1 || back.ForChroma().Stages[0].Kind() != localKind {
		t.Errorf("came back as %+v with %d chroma stages", back.Info, len(back.Chroma))
	}
	noisy := patchify.NewPlane(33, 21)
	rng := rand.New(rand.NewPCG(2, 1))
	for i := range noisy.Pix {
		noisy.Pix[i] = float32(rng.NormFloat64())
	}
	for _, chroma := range []bool{false, true} {
		a, b := m, back
		if chroma {
			a, b = m.ForChroma(), back.ForChroma()
		}
		x, err1 := a.Denoise(context.Background(), noisy, 1, Options{})
		y, err2 := b.Denoise(context.Background(), noisy, 1, Options{})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		for i := range x.Pix { // the file holds float32
			if math.Abs(float64(x.Pix[i]-y.Pix[i])) > 1e-4 {
				t.Fatalf("chroma %v: sample %d is %g, was %g", chroma, i, y.Pix[i], x.Pix[i])
			}
		}
	}
	if again, err := back.Marshal(); err != nil || !slices.Equal(again, data) {
		t.Errorf("the file changes when it is written again (%v)", err)
	}
}

func TestPyramidRefusesOddShapes(t *testing.T) {
	p := smallPyramid(t)
	for name, levels := range map[string][][]Stage{
		"none": nil, "empty": {{}, {}}, "nested": {{p}}, "too many": slices.Repeat([][]Stage{p.Levels[0]}, maxLevels+1),
	} {
		if _, err := NewPyramid(levels); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, params := range map[string]string{
		"text":    `"levels"`,
		"nested":  `{"levels":[[{"kind":"pyramid","params":{}}]]}`,
		"none":    `{}`,
		"unknown": `{"levels":[[{"kind":"magic","params":{}}]]}`,
	} {
		_, err := decodePyramid([]byte(params), nil, "")
		if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAlignmentCoversAllLevels(t *testing.T) {
	m := &Model{Stages: []Stage{smallPyramid(t)}}
	if got, want := m.Alignment(Options{Stride: 2}), 4*patchify.Alignment(2); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if len(m.Stages[0].Filters()) != 3 || !strings.Contains(m.Stages[0].Kind(), "pyramid") {
		t.Error("a stage's filters are missing")
	}
}
