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

// tuned returns a regularizer with the strength that is best on the training pairs.
func tuned(name string, train noisyPairs, operator func(strength float64) solve.Transform,
	apply func(noisy [][]float64, strength float64) [][]float64) reference {
	best := golden.MinimizeLog(1e-4, 5, strengthTolerance, func(c float64) float64 {
		return meanLoss(train.Clean, apply(train.Noisy, c))
	})
	return reference{name, operator(best), best, func(n [][]float64) [][]float64 { return apply(n, best) }}
}

// tunedTV returns exact total variation.
func tunedTV(train noisyPairs) reference {
	operator := func(strength float64) solve.Transform { return finiteDifferences(len(train.Clean[0]), strength) }
	return tuned("TV, tuned", train, operator, func(noisy [][]float64, strength float64) [][]float64 {
		return mapSignals(noisy, func(x, y []float64) { onedim.TotalVariation(x, y, strength) })
	})
}

// tunedOrthonormal returns soft thresholding in an orthonormal basis.
func tunedOrthonormal(name string, basis solve.Transform, train noisyPairs) reference {
	return tuned(name, train, basis.Scale, func(noisy [][]float64, strength float64) [][]float64 {
		w := basis.Scale(strength)
		return mapSignals(noisy, func(x, y []float64) { closedform.Orthonormal(x, w, y) })
	})
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
