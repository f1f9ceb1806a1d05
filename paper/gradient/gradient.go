// Package gradient computes the gradient of the upper-level loss of one pair,
//
//	Q(W) = 1/2 ||x* - x_t||^2,   x* = argmin_x 1/2 ||x - y||^2 + ||W x||_1,
//
// with respect to W. It implements all methods that are compared in the BLORC paper (A. Ghosh, M. T. McCann, M.
// Mitchell, S. Ravishankar, "Learning sparsity-promoting regularizers using bilevel optimization", SIAM Journal on
// Imaging Sciences 17(1), 2024), to measure their time, memory and error. Training uses bilevel.GradientSum.
//
// W is k x n. W_0 holds the rows of W with zero elements in W x*, and W_± the other rows.
package gradient

import (
	"errors"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// Problem is a transform and one pair of signals, all in the same unit.
type Problem struct {
	W         solve.Transform
	Y, Target []float64 // y and x_t, of length n
}

// Method is one way to compute the gradient. A method must not be used by two goroutines at the same time.
type Method interface {
	Name() string
	// Solve finds x* in the way of the method and returns it.
	Solve(p Problem) ([]float64, error)
	// Gradient returns the gradient for the problem of the last Solve.
	Gradient() (solve.Transform, error)
}

// ErrSingular is the error if a linear system of a method has no unique solution, as when rows of W_0 are dependent.
var ErrSingular = errors.New("singular system")

// Methods returns all methods that the paper names. Its own comes first.
func Methods() []Method {
	return []Method{&Corollary{}, &Factored{}, &Reverse{}, &Cone{}, &Unrolled{Iterations: 200},
		&Implicit{Epsilon: 1e-4}}
}
