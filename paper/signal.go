package paper

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// noisyPairs holds clean signals and the same signals with noise. The peak of a clean signal is 1.
type noisyPairs struct{ Clean, Noisy [][]float64 }

// count returns the number of pairs.
func (p noisyPairs) count() int { return len(p.Clean) }

// first returns the first count pairs.
func (p noisyPairs) first(count int) noisyPairs { return noisyPairs{p.Clean[:count], p.Noisy[:count]} }

// generator draws one clean signal with a peak of 1.
type generator func(rng *rand.Rand) []float64

// piecewiseConstant returns a generator of signals of length n with fewest to most jumps. The jumps are at distinct
// random places and the levels are uniform in [0, 1], before the signal is scaled to a peak of 1. The paper does not
// say how many jumps its signals have.
func piecewiseConstant(n, fewest, most int) generator { return jumpsOnGrid(n, fewest, most, 1) }

// jumpsOnGrid is like piecewiseConstant, but jumps are only before samples whose index is a multiple of spacing.
func jumpsOnGrid(n, fewest, most, spacing int) generator {
	return func(rng *rand.Rand) []float64 {
		jump := make([]bool, n)
		for _, at := range rng.Perm((n - 1) / spacing)[:fewest+rng.IntN(most-fewest+1)] {
			jump[(at+1)*spacing] = true
		}
		x := make([]float64, n)
		level := rng.Float64()
		for i := range x {
			if jump[i] {
				level = rng.Float64()
			}
			x[i] = level
		}
		return peak(x)
	}
}

// harmonics returns a generator of signals of length n. Each is a sum of 1 to most cosines of the DCT with frequencies
// below band and normally distributed amplitudes, scaled to a peak of 1.
func harmonics(n, most, band int) generator {
	basis := dct1D(n)
	return func(rng *rand.Rand) []float64 {
		x := make([]float64, n)
		for _, f := range rng.Perm(band)[:1+rng.IntN(most)] {
			floats.AddScaled(x, rng.NormFloat64(), basis.Row(f))
		}
		return peak(x)
	}
}

// peak scales x in place such that its largest absolute sample is 1.
func peak(x []float64) []float64 {
	if m := max(math.Abs(floats.Max(x)), math.Abs(floats.Min(x))); m > 0 {
		floats.Scale(1/m, x)
	}
	return x
}

// draw returns count pairs with white Gaussian noise of standard deviation sigma. Pair i depends only on the seed and
// i.
func (g generator) draw(count int, sigma float64, seed uint64) noisyPairs {
	var p noisyPairs
	for i := range count {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		clean := g(rng)
		noisy := make([]float64, len(clean))
		for j, v := range clean {
			noisy[j] = v + sigma*rng.NormFloat64()
		}
		p.Clean, p.Noisy = append(p.Clean, clean), append(p.Noisy, noisy)
	}
	return p
}

// meanPSNR returns the peak signal-to-noise ratio in dB for a peak of 1, as the mean over signals.
func meanPSNR(clean, restored [][]float64) float64 {
	sum := 0.0
	for i, c := range clean {
		d := floats.Distance(c, restored[i], 2)
		sum += 10 * math.Log10(float64(len(c))/(d*d))
	}
	return sum / float64(len(clean))
}
