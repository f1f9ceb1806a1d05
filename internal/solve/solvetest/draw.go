// Package solvetest draws transforms and signals for tests of training.
package solvetest

import (
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// Transform returns random rows.
func Transform(k, n int, scale float64, rng *rand.Rand) solve.Transform {
	t := solve.NewTransform(k, n)
	for i := range t.W {
		t.W[i] = scale * rng.NormFloat64()
	}
	return t
}

// FiniteDifferences returns the operator of 1-D total variation times c, (n-1) x n.
func FiniteDifferences(n int, c float64) solve.Transform {
	t := solve.NewTransform(n-1, n)
	for i := range n - 1 {
		t.Row(i)[i], t.Row(i)[i+1] = -c, c
	}
	return t
}

// Pair draws a clean signal with a few jumps and its noisy version, in units of sigma.
func Pair(n int, peak float64, rng *rand.Rand) (clean, noisy []float64) {
	clean, noisy = make([]float64, n), make([]float64, n)
	v := peak * rng.Float64()
	for i := range clean {
		if rng.IntN(n) < 6 {
			v = peak * rng.Float64()
		}
		clean[i] = v
		noisy[i] = v + rng.NormFloat64()
	}
	return clean, noisy
}
