package paper

import (
	"github.com/blorc-denoise/blorc-denoise/internal/golden"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
	"github.com/blorc-denoise/blorc-denoise/paper/onedim"
)

// strengthTolerance is the relative precision of tuned strengths and scales.
const strengthTolerance = 0.01

// reference is a regularizer that is not learned. Its strength is tuned on the training pairs.
type reference struct {
	name     string
	operator solve.Transform // multiplied by the strength
	strength float64
	apply    func(noisy [][]float64) [][]float64 // denoises signals
}

// tunedTV returns exact total variation.
func tunedTV(train noisyPairs) reference {
	apply := func(noisy [][]float64, strength float64) [][]float64 {
		return mapSignals(noisy, func(x, y []float64) { onedim.TotalVariation(x, y, strength) })
	}
	best := golden.MinimizeLog(1e-4, 5, strengthTolerance, func(c float64) float64 {
		return meanLoss(train.Clean,
			apply(train.Noisy, c))
	})
	return reference{"TV, tuned", finiteDifferences(len(train.Clean[0]), best), best,
		func(n [][]float64) [][]float64 { return apply(n, best) }}
}

// tunedOrthonormal returns soft thresholding in an orthonormal basis.
func tunedOrthonormal(name string, basis solve.Transform, train noisyPairs) reference {
	apply := func(noisy [][]float64, strength float64) [][]float64 {
		w := basis.Scale(strength)
		return mapSignals(noisy, func(x, y []float64) { closedform.Orthonormal(x, w, y) })
	}
	best := golden.MinimizeLog(1e-4, 5, strengthTolerance, func(c float64) float64 {
		return meanLoss(train.Clean,
			apply(train.Noisy, c))
	})
	return reference{name, basis.Scale(best), best, func(n [][]float64) [][]float64 { return apply(n, best) }}
}

// mapSignals returns the results x of f for all signals y.
func mapSignals(noisy [][]float64, f func(x, y []float64)) [][]float64 {
	out := make([][]float64, len(noisy))
	for i, y := range noisy {
		out[i] = make([]float64, len(y))
		f(out[i], y)
	}
	return out
}
