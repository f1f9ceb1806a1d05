// Package closedform has the closed forms of the paper: solutions of the lower-level problem
//
//	min_x 1/2 ||x - y||^2 + ||W x||_1
//
// for scalars, for orthonormal transforms and for a known sign pattern, and the gradient for such a pattern.
package closedform

import (
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// Solution returns the solution (N samples) of the lower-level problem for a known sign pattern (Theorem closed-form,
// eq:closed_form):
//
//	x* = P_N(W_0) (y - W_±' s)
func Solution(w solve.Transform, y []float64, c SignPattern) []float64 {
	q := residualSignal(w, y, c)
	var x mat.VecDense
	x.MulVec(NullspaceProjector(w, c.Zero()), mat.NewVecDense(len(q), q))
	return x.RawVector().Data
}

// Gradient returns the gradient (K x N) of Q(W) = 1/2 ||x*(W) - x_t||^2 for one pair, by the formulas of the
// paper's Corollary with g = x* - x_t and q = y - W_±' s:
//
//	dQ/dW_± = -s (P g)'                        (eq:grad1)
//	dQ/dW_0 = -[ P (q g' + g q') W_0^+ ]'      (eq:except)
//
// It is right if the sign pattern and the rank of W_0 are constant around W. Training uses bilevel.GradientSum, which
// computes the same gradient without a pseudo-inverse.
func Gradient(w solve.Transform, y, target []float64, c SignPattern) solve.Transform {
	zero := c.Zero()
	p := NullspaceProjector(w, zero)
	q := mat.NewVecDense(w.N, residualSignal(w, y, c))
	x := Solution(w, y, c)
	g := mat.NewVecDense(w.N, nil)
	for i := range x {
		g.SetVec(i, x[i]-target[i])
	}
	grad := solve.NewTransform(w.K, w.N)
	var pg mat.VecDense
	pg.MulVec(p, g)
	for _, i := range c.Nonzero() {
		for j := range w.N {
			grad.Row(i)[j] = -float64(c[i]) * pg.AtVec(j)
		}
	}
	if len(zero) > 0 {
		var outer, transposed mat.Dense
		outer.Outer(1, q, g)
		transposed.CloneFrom(outer.T())
		outer.Add(&outer, &transposed)
		outer.Mul(p, &outer)
		var d mat.Dense
		d.Mul(&outer, pseudoInverse(w, zero))
		for r, i := range zero {
			for j := range w.N {
				grad.Row(i)[j] = -d.At(j, r)
			}
		}
	}
	return grad
}
