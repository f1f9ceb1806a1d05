package noisecurve

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestClippedMoments(t *testing.T) {
	const n = 400_000
	for _, u := range []float64{-1, 0, 0.7, 2, 5} {
		rng := random(3)
		sum, squares := 0.0, 0.0
		for range n {
			v := max(0, u+rng.NormFloat64())
			sum += v
			squares += v * v
		}
		mean, variance := clipped(u)
		if math.Abs(mean-sum/n) > 0.01 || math.Abs(variance-(squares/n-sum/n*sum/n)) > 0.01 {
			t.Errorf("at %g: got %.4f and %.4f, want %.4f and %.4f", u, mean, variance, sum/n, squares/n-sum/n*sum/n)
		}
		if left := leftAbove(mean); math.Abs(left-variance) > 1e-3 {
			t.Errorf("at %g: %.4f of the variance is left, want %.4f", u, left, variance)
		}
	}
}

func TestUnclip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, sigma := rapid.Float64Range(-2, 7).Draw(t, "mean"), rapid.Float64Range(1e-6, 1e6).Draw(t, "sigma")
		m, v := clipped(u)
		mean, variance := unclip(m*sigma, v*sigma*sigma)
		if math.Abs(mean/sigma-u) > 1e-4 || math.Abs(variance/sigma/sigma-1) > 1e-4 {
			t.Fatalf("got %g and %g, want %g and %g", mean, variance, u*sigma, sigma*sigma)
		}
	})
}
