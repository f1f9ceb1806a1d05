package solve

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
)

// eigenbasis is the lower-level problem in coordinates in which the x-update of ADMM is a division.
//
// Rows of unequal norm make ADMM slow. Row i of W is therefore written as bound_i v_i with the scaled row v_i = s_i
// w_i/||w_i|| and bound_i = ||w_i||/s_i, which bounds the dual of V x. s_i = sqrt(median norm / ||w_i||) makes the
// scaled rows of strong filters shorter, which adapts the step sizes to the strengths. With V'V = E diag(l) E',
// rotating signals by E' turns (I + rho V'V)^-1 into 1 / (1 + rho l), element by element, for every rho.
type eigenbasis struct {
	k, n   int
	rows   *mat.Dense // V E, k x n
	rotate *mat.Dense // E, n x n: pixels = E coordinates
	eigen  []float64  // l >= 0
	bounds []float64  // row i of W = bounds[i] * row i of V, so the dual of V x lies in this box; 0 for a row of zeros
}

func newEigenbasis(w Transform) eigenbasis {
	v, bounds := scaleRows(w)
	b := eigenbasis{k: w.K, n: w.N, bounds: bounds}
	gram := mat.NewSymDense(w.N, nil)
	gram.SymOuterK(1, v.T())
	var es mat.EigenSym
	if !es.Factorize(gram, true) {
		// LAPACK: only for input that is not finite
		panic("solve: the eigenvalues of a symmetric matrix did not converge")
	}
	b.eigen = es.Values(nil)
	for i := range b.eigen {
		b.eigen[i] = max(b.eigen[i], 0)
	}
	b.rotate = new(mat.Dense)
	es.VectorsTo(b.rotate)
	b.rows = new(mat.Dense)
	b.rows.Mul(v, b.rotate)
	return b
}

// scaleRows returns V and the bounds.
func scaleRows(w Transform) (v *mat.Dense, bounds []float64) {
	norms := w.RowNorms()
	median := medianPositive(norms)
	v, bounds = mat.NewDense(w.K, w.N, nil), make([]float64, w.K)
	for i, norm := range norms {
		if norm == 0 { // a row of zeros has no effect; its bound stays zero
			continue
		}
		s := math.Sqrt(median / norm)
		bounds[i] = norm / s
		for j, x := range w.Row(i) {
			v.Set(i, j, x*s/norm)
		}
	}
	return v, bounds
}

// medianPositive returns the median of the positive values, or 1 if there are none.
func medianPositive(v []float64) float64 {
	var p []float64
	for _, x := range v {
		if x > 0 {
			p = append(p, x)
		}
	}
	if len(p) == 0 {
		return 1
	}
	return quantile.Median(p)
}
