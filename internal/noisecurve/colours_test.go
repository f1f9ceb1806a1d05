package noisecurve

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// texturedColours returns a picture with texture that is the same in red, green and blue, and with noise whose variance
// is a*level + b.
func texturedColours(width, height int, a, b float64) [][]float32 {
	rng := random(5)
	planes := make([][]float32, 3)
	for i := range width * height {
		x, y := float64(i%width), float64(i/width)
		v := 0.1 + 0.7*x/float64(width) + 0.08*rng.NormFloat64()*(0.5+y/float64(height))
		for c := range planes {
			level := max(0, v+0.02*float64(c))
			planes[c] = append(planes[c], float32(level+math.Sqrt(a*level+b)*rng.NormFloat64()))
		}
	}
	return planes
}

func TestColoursHaveNoTexture(t *testing.T) {
	const w, h = 400, 300
	for _, line := range [][2]float64{{0, 0.0004}, {0.001, 0}, {0.0005, 0.0001}} {
		planes := texturedColours(w, h, line[0], line[1])
		c := MeasureColours(planes, Opponents(), w, h, 0)
		for _, p := range c.Points {
			if want := line[0]*p.Level + line[1]; math.Abs(p.Variance/want-1) > 0.25 {
				t.Errorf("%v: variance %g at %g, want %g", line, p.Variance, p.Level, want)
			}
		}
		if b := c.Broad(); b < 0.75 || b > 0.95 {
			t.Errorf("%v: broad %g", line, b)
		}
		if v := Measure(planes, w, h, 0).Points[5].Variance; v < 0.001 {
			t.Errorf("%v: the planes have variance %g without texture: the test shows nothing", line, v)
		}
		kind := Photon
		if line[0] == 0 {
			kind = White
		}
		if fit := c.Fit(); fit.Kind != kind {
			t.Errorf("%v: %+v", line, fit)
		}
	}
}

func TestOpponentsAreOrthonormal(t *testing.T) {
	o := append(Opponents(), Opponent{1, 1, 1})
	for i, a := range o {
		for j, b := range o {
			dot := 0.0
			for k, v := range a.weights().difference {
				dot += float64(v * b.weights().difference[k])
			}
			if want := boolean(i == j); math.Abs(dot-want) > 1e-6 {
				t.Errorf("%v and %v: %g", a, b, dot)
			}
		}
	}
}

func TestColoursSameForAnyWorkers(t *testing.T) {
	planes := texturedColours(123, 97, 0.001, 0.0001)
	want := MeasureColours(planes, Opponents(), 123, 97, 1)
	for _, workers := range []int{2, 3, 8} {
		if got := MeasureColours(planes, Opponents(), 123, 97, workers); !slices.Equal(got.Points, want.Points) {
			t.Errorf("%d workers: other points", workers)
		}
	}
	for _, size := range [][2]int{{1, 1}, {7, 40}, {8, 8}, {9, 30}} {
		MeasureColours(texturedColours(size[0], size[1], 0, 1), Opponents(), size[0], size[1], 0)
	}
}

// The range of the samples may come from a curve of the same planes.
func TestMeasureColoursOfCurve(t *testing.T) {
	const w, h = 123, 97
	planes := texturedColours(w, h, 0.1, 1)
	want := MeasureColours(planes, Opponents(), w, h, 0)
	got := Measure(planes, w, h, 0).MeasureColours(planes, Opponents(), w, h, 0)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("with the range of a curve, colours are %+v, not %+v", got.Even, want.Even)
	}
}
