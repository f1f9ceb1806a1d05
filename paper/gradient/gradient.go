// Package gradient computes the gradient of the upper-level loss of one pair,
//
//	Q(W) = 1/2 ||x* - x_t||^2,   x* = argmin_x 1/2 ||x - y||^2 + ||W x||_1,
//
// with respect to W in all the ways that the BLORC paper (A. Ghosh, M. T. McCann, M. Mitchell, S. Ravishankar, "Learning
// sparsity-promoting regularizers using bilevel optimization", SIAM Journal on Imaging Sciences 17(1), 2024) compares its own
// with, so that time, memory and error can be measured side by side. Training uses bilevel.GradientSum.
package gradient

import (
	"errors"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// Problem is one pair and a transform, in any one unit.
type Problem struct {
	W         solve.Transform
	Y, Target []float64
}

// Method is one way to the gradient. It is for one goroutine at a time.
type Method interface {
	Name() string
	// Solve finds x* in the method's own way, and returns it.
	Solve(p Problem) ([]float64, error)
	// Gradient differentiates what Solve has done last.
	Gradient() (solve.Transform, error)
}

// ErrSingular says that a linear system of a method has no unique solution, as when rows of W_0 depend on each other.
var ErrSingular = errors.New("singular system")

// Methods are all ways that the paper names, its own first.
func Methods() []Method {
	return []Method{&Corollary{}, &Factored{}, &Reverse{}, &Cone{}, &Unrolled{Iterations: 200}, &Implicit{Epsilon: 1e-4}}
}
