package onedim

import (
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
)

// Orthogonal learns an orthogonal analysis operator from clean signals alone,
//
//	min_W sum_t ||W x_t||_1   so that   W W' = I,
//
// by ADMM with the split z_t = W x_t. Each iteration solves an orthogonal Procrustes problem, which keeps the
// constraint. The paper calls the method unsupervised. The problem is not convex, so the result depends on the start.
type Orthogonal struct {
	Start      solve.Transform // orthogonal, n x n
	Rho        float64         // penalty of ADMM, in one over the unit of the signals
	Iterations int
}

// Learn returns the operator, n x n, and the objective after each iteration. There is at least one signal, and all have
// n samples.
func (o Orthogonal) Learn(signals [][]float64) (solve.Transform, []float64) {
	n := o.Start.N
	x := mat.NewDense(n, len(signals), nil)
	for t, s := range signals {
		x.SetCol(t, s)
	}
	w := mat.DenseCopyOf(mat.NewDense(n, n, o.Start.W))
	var wx, z, sum, m mat.Dense
	wx.Mul(w, x)
	z.CloneFrom(&wx)
	dual := mat.NewDense(n, len(signals), nil) // divided by Rho
	var objective []float64
	for range o.Iterations {
		z.Sub(&wx, dual)
		z.Apply(func(_, _ int, v float64) float64 { return closedform.SoftThreshold(v, 1/o.Rho) }, &z)
		sum.Add(&z, dual)
		m.Mul(&sum, x.T())
		Procrustes(w, &m)
		wx.Mul(w, x)
		dual.Add(dual, &z)
		dual.Sub(dual, &wx)
		objective = append(objective, l1(&wx))
	}
	return solve.Transform{K: n, N: n, W: append([]float64(nil), w.RawMatrix().Data...)}, objective
}

// Procrustes sets w to the orthogonal matrix that is nearest to the square matrix m in the Frobenius norm. It also
// maximizes trace(w' m): P. H. Schönemann, "A generalized solution of the orthogonal Procrustes problem", Psychometrika
// 31(1), 1966. It panics if the singular values of m cannot be computed, as when an element is not finite.
func Procrustes(w, m *mat.Dense) {
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDFull) {
		panic("onedim: singular values did not converge")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	w.Mul(&u, v.T())
}

// l1 returns the sum of the absolute values of all elements.
func l1(m *mat.Dense) (sum float64) {
	for _, v := range m.RawMatrix().Data {
		sum += max(v, -v)
	}
	return sum
}
