package train

import (
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// pairSource is a Source that gives pairs in turn.
type pairSource struct {
	clean, noisy [][]float64
	first        int // pair of the minibatch
	skip         int // pairs before the first step
}

func (s *pairSource) Begin(step, batch int) { s.first = s.skip + step*batch }

func (s *pairSource) Sample(i int, clean, noisy []float64) {
	at := (s.first + i) % len(s.clean)
	copy(clean, s.clean[at])
	copy(noisy, s.noisy[at])
}

func randomTransform(k, n int, scale float64, rng *rand.Rand) solve.Transform {
	t := solve.NewTransform(k, n)
	for i := range t.W {
		t.W[i] = scale * rng.NormFloat64()
	}
	return t
}

// finiteDifferences returns the operator of 1-D total variation times c, (n-1) x n.
func finiteDifferences(n int, c float64) solve.Transform {
	t := solve.NewTransform(n-1, n)
	for i := range n - 1 {
		t.Row(i)[i], t.Row(i)[i+1] = -c, c
	}
	return t
}

// randomPair draws a clean signal with a few jumps and its noisy version, in units of sigma.
func randomPair(n int, peak float64, rng *rand.Rand) (clean, noisy []float64) {
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
