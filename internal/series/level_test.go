package series

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// A level is found in samples with noise, though a fifth of them have changed otherwise.
func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Level{float32(rapid.Float64Range(0.6, 1.6).Draw(t, "gain")),
			float32(rapid.Float64Range(-5, 5).Draw(t, "offset"))}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var x, y []float32
		for i := range 2000 {
			v := float32(10 * rng.Float64())
			w := want.Of(v)
			if i%5 == 0 {
				w += 6
			}
			x, y = append(x, v+float32(0.2*rng.NormFloat64())), append(y, w+float32(0.2*rng.NormFloat64()))
		}
		got, rest := Fit(x, y)
		for v := float32(0); v <= 10; v += 5 {
			if d := math.Abs(float64(got.Of(v) - want.Of(v))); d > 0.15 {
				t.Errorf("%v of %g is %g too far away from %v", got, v, d, want)
			}
		}
		if rest > 1 {
			t.Errorf("%g is left", rest)
		}
	})
}

// Samples without contrast tell a shift.
func TestFitOfAFlatPage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var x, y []float32
	for range 1000 {
		x, y = append(x, 5+float32(0.1*rng.NormFloat64())), append(y, 4+float32(0.1*rng.NormFloat64()))
	}
	if got, _ := Fit(x, y); got.Gain != 1 || math.Abs(float64(got.Offset+1)) > 0.02 {
		t.Errorf("%v", got)
	}
	same := []float32{1, 1, 1}
	if got, rest := Fit(same, same); got != Same || rest != 0 {
		t.Errorf("%v leaves %g of equal samples", got, rest)
	}
}

func TestLevelAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func() Level {
			return Level{float32(rapid.Float64Range(0.4, 2.5).Draw(t, "gain")),
				float32(rapid.Float64Range(-50, 50).Draw(t, "offset"))}
		}
		a, b, v := draw(), draw(), float32(rapid.Float64Range(-100, 300).Draw(t, "sample"))
		near := func(x, y float32) bool { return math.Abs(float64(x-y)) < 1e-3 }
		if !near(a.Inverse().Of(a.Of(v)), v) || !near(a.After(b).Of(v), a.Of(b.Of(v))) {
			t.Errorf("%v, %v, %g", a, b, v)
		}
	})
}
