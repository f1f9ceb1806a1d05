package baseline

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// TuneStrength returns the strength in [low, high], low > 0, with the least loss, by golden-section search on its
// logarithm to within 1 %.
func TuneStrength(low, high float64, loss func(strength float64) float64) float64 {
	return math.Exp(solve.GoldenSection(math.Log(low), math.Log(high), 0.01, func(l float64) float64 { return loss(math.Exp(l)) }))
}
