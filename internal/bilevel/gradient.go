package bilevel

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// GradientSum adds up gradients with respect to W of the upper-level loss of pairs,
//
//	Q = 1/2 ||x* - x_t||^2   (eq:upper-level for T = 1).
//
// It evaluates the paper's Corollary (eq:grad1, eq:except) without a pseudo-inverse. With g = x* - x_t, a = W_0^{+T} g
// = (W_0 W_0')^-1 W_0 g on the rows of W_0 and 0 on the others, P g = g - W_0' a, and the dual u (s on W_±, W_0^{+T} q
// on W_0):
//
//	dQ/dW = -( u (P g)' + a x*' )
//
// The outer products of many pairs are computed as one matrix product when a panel is full. If W_0 is rank deficient,
// the factor's independent rows replace it, and the gradient is right along all changes of W that keep the rank of W_0.
type GradientSum struct {
	k, n  int
	count int // outer products not yet added
	// u and a, a row each; the stride is not a power of two, which would map columns to few cache sets
	left  blas64.General
	right blas64.General // P g and x*
}

// NewGradientSum returns an empty sum for transforms of k x n.
func NewGradientSum(k, n int) *GradientSum {
	const outer, pad = 2 * solve.Lanes, 8
	return &GradientSum{k: k, n: n,
		left:  blas64.General{Rows: outer, Cols: k, Stride: k + pad, Data: make([]float64, outer*(k+pad))},
		right: blas64.General{Rows: outer, Cols: n, Stride: n, Data: make([]float64, outer*n)}}
}

// Add adds the gradient of one pair to grad (K x N, row-major), now or at the next Flush, and returns the loss of the
// pair.
func (g *GradientSum) Add(grad []float64, sol *Solution, target []float64) (loss float64) {
	if g.count == g.left.Rows {
		g.Flush(grad)
	}
	u, a := g.row(g.left, g.count), g.row(g.left, g.count+1)
	pg, x := g.row(g.right, g.count), g.row(g.right, g.count+1)
	g.count += 2
	copy(u, sol.Dual)
	copy(x, sol.X)
	floats.SubTo(pg, sol.X, target)
	loss = floats.Dot(pg, pg) / 2
	clear(a)
	a0 := sol.factor.solved(sol.a, func(i int) float64 { return floats.Dot(sol.w.Row(i), pg) })
	for j, i := range sol.factor.rows {
		a[i] = a0[j]
		floats.AddScaled(pg, -a0[j], sol.w.Row(i))
	}
	return loss
}

func (g *GradientSum) row(m blas64.General, i int) []float64 { return m.Data[i*m.Stride:][:m.Cols] }

// Flush adds all pending gradients to grad.
func (g *GradientSum) Flush(grad []float64) {
	right := g.right
	right.Rows = g.count
	for i := range g.k {
		column := blas64.Vector{N: g.count, Data: g.left.Data[i:], Inc: g.left.Stride}
		blas64.Gemv(blas.Trans, -1, right, column, 1, vector(grad[i*g.n:(i+1)*g.n]))
	}
	g.count = 0
}
