package stage

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// smallPyramid returns a pyramid without stages on its middle level.
func smallPyramid(t testing.TB) *Pyramid {
	t.Helper()
	stage := func(c float64) Stage {
		l, err := NewLocal(8, solve.DefaultSchedule(), []solve.Transform{solve.DCTBasis(8).Scale(c)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	p, err := NewPyramid([]Sequence{{stage(1.5)}, {}, {stage(1), stage(0.5)}})
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
		out, err := Sequence(stages).Denoise(context.Background(), noisy, 1, Options{})
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

func TestPyramidComesBackFromItsFile(t *testing.T) {
	p := smallPyramid(t)
	q := Sequence{p}
	data, back := reread(t, q)
	noisy := patchify.NewPlane(33, 21)
	rng := rand.New(rand.NewPCG(2, 1))
	for i := range noisy.Pix {
		noisy.Pix[i] = float32(rng.NormFloat64())
	}
	x, y := denoised(t, q, noisy, 1, Options{}), denoised(t, back, noisy, 1, Options{})
	for i := range x.Pix { // the file holds transforms of 16 bits
		if math.Abs(float64(x.Pix[i]-y.Pix[i])) > 1e-3 {
			t.Fatalf("sample %d is %g, was %g", i, y.Pix[i], x.Pix[i])
		}
	}
	if !slices.Equal(file(t, back), data) {
		t.Error("the file changes when it is written again")
	}
}

func TestPyramidRefusesOddShapes(t *testing.T) {
	p := smallPyramid(t)
	for name, levels := range map[string][]Sequence{
		"none": nil, "empty": {{}, {}}, "nested": {{p}}, "too many": slices.Repeat([]Sequence{p.Levels[0]}, MaxLevels+1),
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
	m := Sequence{smallPyramid(t)}
	if got, want := m.Steps(Options{Stride: 2}).Alignment(), 4*patchify.Alignment(2); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if len(m[0].Filters()) != 3 || !strings.Contains(m[0].Kind(), "pyramid") {
		t.Error("a stage's filters are missing")
	}
}
