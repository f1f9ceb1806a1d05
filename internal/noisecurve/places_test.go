package noisecurve

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// uneven draws a slope with soft shapes and adds white noise. Strength says how strong the noise is in a place.
func uneven(width, height int, seed uint64, strength func(x, y float64) float64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 3))
	p := make([]float32, width*height)
	for i := range p {
		x, y := float64(i%width)/float64(width), float64(i/width)/float64(height)
		p[i] = float32(0.3 + 0.4*x + 0.1*math.Sin(9*y) + strength(x, y)*rng.NormFloat64())
	}
	return p
}

func places(p []float32, width, height int) (*Places, bool) {
	planes := [][]float32{p}
	return Measure(planes, width, height, 1).FindPlaces()
}

func TestFindPlaces(t *testing.T) {
	tests := map[string]func(x, y float64) float64{
		"corners": func(x, y float64) float64 { return 0.02 * (1 + 4*((x-0.5)*(x-0.5)+(y-0.5)*(y-0.5))) },
		"right":   func(x, y float64) float64 { return 0.02 + 0.06*x },
		"a spot":  func(x, y float64) float64 { return 0.02 + 0.04*math.Exp(-12*((x-0.3)*(x-0.3)+(y-0.6)*(y-0.6))) },
	}
	const w, h = 400, 300
	for name, strength := range tests {
		p, ok := places(uneven(w, h, 1, strength), w, h)
		if !ok {
			t.Errorf("%s: not found", name)
			continue
		}
		worst, row := 0.0, make([]float32, w)
		for y := range h {
			p.Row(row, 0, y)
			for x, f := range row {
				worst = max(worst, math.Abs(math.Log(float64(f)*p.Sigma/strength((float64(x)+0.5)/w,
					(float64(y)+0.5)/h))))
			}
		}
		if worst > 0.2 {
			t.Errorf("%s: a level is wrong by %.0f percent", name, 100*worst)
		}
	}
}

func TestEvenNoiseHasNoPlaces(t *testing.T) {
	for seed := range uint64(20) {
		if p, ok := places(uneven(300, 200, seed, func(_, _ float64) float64 { return 0.03 }), 300, 200); ok {
			least, most := p.Range()
			t.Errorf("seed %d: even noise is found to be %.2f to %.2f times as strong by place", seed, least, most)
		}
	}
}

// Noise of photons depends on the brightness, which is another one in each place.
func TestPhotonsHaveNoPlaces(t *testing.T) {
	const w, h = 300, 200
	rng := rand.New(rand.NewPCG(4, 4))
	p := make([]float32, w*h)
	for i := range p {
		mean := 0.1 + 0.8*math.Abs(math.Sin(float64(i%w)/40)*math.Sin(float64(i/w)/30))
		p[i] = float32(mean + 0.1*math.Sqrt(mean)*rng.NormFloat64())
	}
	if f, ok := places(p, w, h); ok {
		least, most := f.Range()
		t.Errorf("%.2f to %.2f times as strong by place", least, most)
	}
}

// The unit of the samples does not matter.
func TestPlacesOfAnyUnit(t *testing.T) {
	const w, h = 200, 160
	p := uneven(w, h, 5, func(x, _ float64) float64 { return 0.02 + 0.06*x })
	want, _ := places(p, w, h)
	for i := range p {
		p[i] = 64*p[i] - 7
	}
	got, ok := places(p, w, h)
	if !ok {
		t.Fatal("not found")
	}
	for i, f := range want.factors {
		if math.Abs(got.factors[i]/f-1) > 0.02 {
			t.Fatalf("part %d: %g, want %g", i, got.factors[i], f)
		}
	}
	if math.Abs(got.Sigma/(64*want.Sigma)-1) > 0.02 {
		t.Errorf("sigma %g, want %g", got.Sigma, 64*want.Sigma)
	}
}

func TestPlacesOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 90).Draw(t, "width"), rapid.IntRange(1, 90).Draw(t, "height")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		special := rapid.SampledFrom([]float32{0, 1, float32(math.NaN()), float32(math.Inf(1)),
			math.MaxFloat32}).Draw(t, "special")
		p := make([]float32, w*h)
		for i := range p {
			if p[i] = rng.Float32(); rng.IntN(50) == 0 {
				p[i] = special
			}
		}
		f, ok := places(p, w, h)
		if !ok {
			return
		}
		row := make([]float32, w+20)
		for y := -3; y < h+3; y++ {
			f.Row(row, -10, y)
			for _, v := range row {
				if !(v > 0 && v < math.MaxFloat32) {
					t.Fatalf("factor %v", v)
				}
			}
		}
	})
}

func TestRowIsAt(t *testing.T) {
	p := &Places{columns: 3, rows: 2, width: 30, height: 10, factors: []float64{1, 2, 4, 3, 5, 0.5}}
	row := make([]float32, 50)
	for y := -5; y < 20; y++ {
		p.Row(row, -10, y)
		for i, got := range row {
			if want := p.at(float64(i-10)+0.5, float64(y)+0.5); math.Abs(float64(got)-want) > 1e-6 {
				t.Fatalf("row %d, column %d: %g, want %g", y, i-10, got, want)
			}
		}
	}
	if got := p.at(5, 2.5); got != 1 {
		t.Errorf("the middle of the first part has %g, want 1", got)
	}
}

// Values on a surface of the second order come back from the parts that have them.
func TestSurface(t *testing.T) {
	p := &Places{columns: 6, rows: 5, factors: make([]float64, 30)}
	values, weights := make([]float64, 30), make([]float64, 30)
	for i := range values {
		x, y := float64(i%6), float64(i/6)
		values[i] = 1 + 0.1*x - 0.2*y + 0.05*x*y
		weights[i] = float64(1 + i%3)
	}
	for i, got := range p.surface(values, weights) {
		if math.Abs(got-values[i]) > 0.1 { // the ridge
			t.Errorf("part %d: %.3f, want %.3f", i, got, values[i])
		}
	}
}
