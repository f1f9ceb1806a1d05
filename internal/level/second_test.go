package level

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// half removes half of the difference to the middle gray.
func half(plane []float32, _, _ int, _ float64) {
	for i, v := range plane {
		plane[i] = (v + 0.5) / 2
	}
}

func TestAreasLieInThePicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(windowSide, 3000).Draw(t, "width"), rapid.IntRange(windowSide, 3000).Draw(t, "height")
		all := areas(width, height)
		if most := mostAreas * (mostAreas - 1); len(all) < 1 || len(all) > most {
			t.Fatalf("%d areas", len(all))
		}
		for i, a := range all {
			if a.x < 0 || a.y < 0 || a.x+a.width > width || a.y+a.height > height || a.width != min(width, areaSide) || a.height != min(height, areaSide) {
				t.Errorf("%+v in a picture of %d x %d", a, width, height)
			}
			for _, b := range all[:i] {
				if a.x < b.x+b.width && b.x < a.x+a.width && a.y < b.y+b.height && b.y < a.y+a.height {
					t.Errorf("%+v and %+v overlap", a, b)
				}
			}
		}
	})
}

func TestSecondLookIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	p := whiteNoise(700, 500, 3, 10)
	want := SecondLook(p, 700, 500, 10, half, 1)
	if want == nil {
		t.Fatal("no statistics")
	}
	for _, workers := range []int{2, 3, 16} {
		if got := SecondLook(p, 700, 500, 10, half, workers); !slices.Equal(got, want) {
			t.Errorf("%d workers: other statistics than with one", workers)
		}
	}
}

func TestSecondLookNeedsBlocks(t *testing.T) {
	none := func([]float32, int, int, float64) {}
	for _, c := range []struct {
		name          string
		width, height int
		sigma         float64
		remove        Remover
		known         bool
	}{
		{"small", 64, 64, 10, half, false},
		{"narrow", 3000, 63, 10, half, false},
		{"two windows", 128, 64, 10, half, true},
		{"flat", 400, 400, 0, none, false},
		{"nothing removed", 400, 400, 10, none, true},
	} {
		if f := SecondLook(whiteNoise(c.width, c.height, 1, c.sigma), c.width, c.height, c.sigma, c.remove, 1); (f != nil) != c.known {
			t.Errorf("%s: %d statistics", c.name, len(f))
		}
	}
}

// The denoiser is told the level of the mean of the planes.
func TestRemoverIsToldTheLevel(t *testing.T) {
	for _, planes := range []int{1, 3} {
		calls := 0
		SecondLook(whiteNoise(200, 200, planes, 10), 200, 200, 10, func(_ []float32, width, height int, sigma float64) {
			calls++
			if want := 10.0 / 255 / math.Sqrt(float64(planes)); width != areaSide || height != areaSide || math.Abs(sigma-want) > 1e-9 {
				t.Errorf("%d planes: an area of %d x %d, level %g, want %g", planes, width, height, sigma, want)
			}
		}, 1)
		if calls != 1 {
			t.Errorf("%d planes: %d areas", planes, calls)
		}
	}
}

// Twice the contrast, with noise that is twice as strong, moves levels by log 2, and nothing else.
func TestSecondLookFollowsTheContrast(t *testing.T) {
	var f [2][]float64
	for i, contrast := range []float64{1, 2} {
		f[i] = SecondLook(whiteNoise(200, 200, 1, 20*contrast), 200, 200, 20*contrast, half, 1)
	}
	levels := 0
	for i, v := range f[0] {
		switch d := f[1][i] - v; {
		case math.Abs(d-math.Log(2)) < 0.02:
			levels++
		case math.Abs(d) > 0.02:
			t.Errorf("statistic %d changes by %g", i, d)
		}
	}
	if want := scales*(2*bands*len(splitQuantiles)+3) + 1; levels != want {
		t.Errorf("%d statistics are levels, want %d", levels, want)
	}
}

func TestSecondLookIsFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		w, h := 1+r.IntN(300), 1+r.IntN(300)
		p := whiteNoise(w, h, 1+2*r.IntN(2), 40*r.Float64())
		bad := []float32{float32(math.NaN()), float32(math.Inf(1)), -3e38, 0, 1}[r.IntN(5)]
		for i := r.IntN(w * h); i < w*h && r.IntN(50) > 0; i++ {
			p[0][i] = bad
		}
		remove := []Remover{half, func(plane []float32, _, _ int, _ float64) { plane[len(plane)/2] = bad }}[r.IntN(2)]
		if e := Measure(p, w, h, 10.0/255, Steps{}, remove, 0); !(e.Sigma >= 0 && e.Sigma < 1) || !(e.Spread >= 0) {
			t.Errorf("%d x %d: %+v", w, h, e)
		}
	}
}
