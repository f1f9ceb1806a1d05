package baseline

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

var badInputs = []struct {
	name  string
	plane patchify.Plane
	sigma float64
}{
	{"no plane", patchify.Plane{}, 0.1},
	{"no samples", patchify.Plane{Width: 4, Height: 4}, 0.1},
	{"0 x 0", patchify.NewPlane(0, 0), 0.1},
	{"no width", patchify.NewPlane(0, 8), 0.1},
	{"no height", patchify.NewPlane(8, 0), 0.1},
	{"negative size", patchify.Plane{Width: -2, Height: -2, Pix: make([]float32, 4)}, 0.1},
	{"one sample short", patchify.Plane{Width: 4, Height: 4, Pix: make([]float32, 15)}, 0.1},
	{"one row short", patchify.Plane{Width: 4, Height: 4, Pix: make([]float32, 12)}, 0.1},
	{"one sample more", patchify.Plane{Width: 4, Height: 4, Pix: make([]float32, 17)}, 0.1},
	{"size that overflows", patchify.Plane{Width: math.MaxInt/2 + 1, Height: 2, Pix: nil}, 0.1},
	{"NaN sample", patchify.Plane{Width: 2, Height: 1, Pix: []float32{0, float32(math.NaN())}}, 0.1},
	{"infinite sample", patchify.Plane{Width: 2, Height: 1, Pix: []float32{0, float32(math.Inf(-1))}}, 0.1},
	{"sigma 0", patchify.NewPlane(4, 4), 0},
	{"negative sigma", patchify.NewPlane(4, 4), -0.1},
	{"NaN sigma", patchify.NewPlane(4, 4), math.NaN()},
	{"infinite sigma", patchify.NewPlane(4, 4), math.Inf(1)},
}

func TestBadInputGivesAnError(t *testing.T) {
	for _, d := range All() {
		for _, bad := range badInputs {
			if _, err := d.Denoise(context.Background(), bad.plane, bad.sigma, 1); !errors.Is(err, ErrArgument) {
				t.Errorf("%s, %s: error %v, want ErrArgument", d.Name(), bad.name, err)
			}
		}
	}
}

func TestBadParametersGiveAnError(t *testing.T) {
	for _, d := range []Denoiser{TV{Strength: -1}, TV{Strength: math.NaN()}, TV{Strength: math.Inf(1)},
		AnalysisKSVD{PatchSize: -1}, AnalysisKSVD{PatchSize: 1}, AnalysisKSVD{PatchSize: patchify.MaxPatchSize + 1},
		AnalysisKSVD{Rows: -1},
		AnalysisKSVD{Iterations: -1}, AnalysisKSVD{Examples: -1}, AnalysisKSVD{Gain: math.NaN()},
		AnalysisKSVD{CoRank: -1}} {
		if _, err := d.Denoise(context.Background(), patchify.NewPlane(9, 9), 0.1, 1); !errors.Is(err, ErrArgument) {
			t.Errorf("%#v: error %v, want ErrArgument", d, err)
		}
	}
}

func TestExtremeSamplesDoNotPanic(t *testing.T) {
	p := patchify.NewPlane(12, 9)
	for i := range p.Pix {
		p.Pix[i] = []float32{math.MaxFloat32, -math.MaxFloat32, 0, math.SmallestNonzeroFloat32}[i*i%7%4]
	}
	for _, d := range All() {
		for _, sigma := range []float64{math.SmallestNonzeroFloat64, 1e-30, 1e30, math.MaxFloat64} {
			if _, err := quick(d).Denoise(context.Background(), p, sigma, 1); err != nil {
				t.Errorf("%s, sigma %g: %v", d.Name(), sigma, err)
			}
		}
	}
}

func TestPlanesRefusesBadInput(t *testing.T) {
	plane := func(n int) []float32 { return slices.Repeat([]float32{0.5}, n) }
	for _, c := range []struct {
		name   string
		d      Denoiser
		planes [][]float32
		sigma  float64
	}{
		{"no denoiser", nil, [][]float32{plane(12)}, 0.1},
		{"no planes", DCT{}, nil, 0.1},
		{"two planes", DCT{}, [][]float32{plane(12), plane(12)}, 0.1},
		{"nil plane", DCT{}, [][]float32{plane(12), nil, plane(12)}, 0.1},
		{"short plane", DCT{}, [][]float32{plane(12), plane(12), plane(11)}, 0.1},
		{"NaN sigma", DCT{}, [][]float32{plane(12)}, math.NaN()},
	} {
		if err := Planes(context.Background(), c.d, c.planes, 4, 3, c.sigma, 1); !errors.Is(err, ErrArgument) {
			t.Errorf("%s: error %v, want ErrArgument", c.name, err)
		}
		for i, p := range c.planes {
			if slices.ContainsFunc(p, func(v float32) bool { return v != 0.5 }) {
				t.Errorf("%s: plane %d was changed", c.name, i)
			}
		}
	}
}
