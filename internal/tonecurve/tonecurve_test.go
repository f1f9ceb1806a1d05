package tonecurve

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// simulate returns the mean and the standard deviation of what show makes of random light.
func simulate(light func() float64, show func(x float64) float64) (mean, deviation float64) {
	const draws = 100_000
	sum, squares := 0.0, 0.0
	for range draws {
		v := show(light())
		sum += v
		squares += v * v
	}
	mean = sum / draws
	return mean, math.Sqrt(squares/draws - mean*mean)
}

func clip(x float64) float64 { return min(max(x, 0), 1) }

// Clipped Gaussian noise comes back, all of it that is clipped as well.
func TestUndoOfClipping(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, sigma := range []float64{5, 15, 35} {
		for _, want := range []float64{0, 2, 5, 15, 30, 60, 128, 220, 245, 253, 255} {
			mean, deviation := simulate(func() float64 { return (want + sigma*rng.NormFloat64()) / 255 }, clip)
			got := 255 * Linear.Undo(mean, deviation)
			if most := 0.3 + 0.03*sigma; math.Abs(got-want) > most {
				t.Errorf("%g with noise of %g, shown as %.2f, comes back as %.2f", want, sigma, 255*mean, got)
			}
		}
	}
}

// Noise in light comes back, whether it is Gaussian or counted photons. They bend differently where noise is strong,
// and Undo lies between them.
func TestUndoOfTheDisplayCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	show := func(x float64) float64 { return math.Pow(clip(x), 1/2.2) }
	for _, want := range []float64{20, 40, 80, 160} {
		x := math.Pow(want/255, 2.2)
		for _, relative := range []float64{0.1, 0.3, 0.6, 1} { // of the light
			photons := 1 / (relative * relative)
			counter := distuv.Poisson{Lambda: photons, Src: rng}
			for name, light := range map[string]func() float64{
				"gaussian": func() float64 { return x * (1 + relative*rng.NormFloat64()) },
				"photons":  func() float64 { return x * counter.Rand() / photons },
			} {
				mean, deviation := simulate(light, show)
				got := 255 * Display.Undo(mean, deviation)
				if most := 0.1 + 0.15*relative*relative*want; math.Abs(got-want) > most {
					t.Errorf("%s: %g with noise of %g of its light comes back as %.2f", name, want, relative, got)
				}
				if before := want - 255*mean; relative <= 0.6 && math.Abs(got-want) > 0.8*before {
					t.Errorf("%s: %g, noise of %g: %.2f wrong, %.2f before", name, want, relative, got-want, -before)
				}
			}
		}
	}
}

func TestHalfClipped(t *testing.T) {
	mean, deviation := simulate(rand.New(rand.NewPCG(3, 3)).NormFloat64, func(x float64) float64 { return max(x, 0) })
	if math.Abs(deviation/mean-halfClipped) > 0.01 {
		t.Errorf("ratio %g, not %g", deviation/mean, halfClipped)
	}
}

func TestUndoIsATone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]Curve{Linear, Display}).Draw(t, "curve")
		deviation := rapid.Float64Range(0, 2).Draw(t, "deviation")
		low := rapid.Float64Range(0, 1).Draw(t, "low")
		high := rapid.Float64Range(low, 1).Draw(t, "high")
		a, b := c.Undo(low, deviation), c.Undo(high, deviation)
		if !(a >= 0 && a <= b+1e-12 && b <= 1) {
			t.Fatalf("%g becomes %g, %g becomes %g", low, a, high, b)
		}
		if got := c.Undo(low, 0); got != low {
			t.Fatalf("without noise, %g becomes %g", low, got)
		}
	})
}

func TestUndoLeavesOthers(t *testing.T) {
	for _, mean := range []float64{-1e9, -0.1, 1.1, 1e30, math.Inf(1)} {
		if got := Display.Undo(mean, 0.1); got != mean {
			t.Errorf("%g becomes %g", mean, got)
		}
	}
	if got := Display.Undo(0.3, math.NaN()); got != 0.3 {
		t.Errorf("with an unknown deviation, 0.3 becomes %g", got)
	}
	if got := (Curve{}).Undo(0.3, 0.1); got != 0.3 {
		t.Errorf("with an unknown curve, 0.3 becomes %g", got)
	}
}
