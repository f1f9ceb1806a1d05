package closedform

import (
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// rankTolerance is the share of the largest singular value of W_0 up to which singular values count as zero.
const rankTolerance = 1e-10

// pseudoInverse returns W_0^+ (n x k0) for the given rows of W, or nil if there are none. It uses the singular value
// decomposition, which is right for any rank: with k > n, W_0 is often rank deficient.
func pseudoInverse(w solve.Transform, zero []int) *mat.Dense {
	if len(zero) == 0 {
		return nil
	}
	var svd mat.SVD
	if !svd.Factorize(RowsOf(w, zero), mat.SVDThin) {
		panic("closedform: singular values did not converge") // LAPACK: only for input that is not finite
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	for j, s := range svd.Values(nil) {
		inverse := 0.0
		if s > rankTolerance*svd.Values(nil)[0] {
			inverse = 1 / s
		}
		for i := range w.N {
			v.Set(i, j, v.At(i, j)*inverse)
		}
	}
	pinv := new(mat.Dense)
	pinv.Mul(&v, u.T())
	return pinv
}

// NullspaceProjector returns P_N(W_0) = I - W_0^+ W_0 (n x n), the orthogonal projector onto the null space of the
// given rows.
func NullspaceProjector(w solve.Transform, zero []int) *mat.Dense {
	p := mat.NewDense(w.N, w.N, nil)
	if len(zero) > 0 {
		p.Mul(pseudoInverse(w, zero), RowsOf(w, zero))
		p.Scale(-1, p)
	}
	for i := range w.N {
		p.Set(i, i, p.At(i, i)+1)
	}
	return p
}

// RowsOf returns some rows of w.
func RowsOf(w solve.Transform, rows []int) *mat.Dense {
	m := mat.NewDense(len(rows), w.N, nil)
	for i, r := range rows {
		m.SetRow(i, w.Row(r))
	}
	return m
}
