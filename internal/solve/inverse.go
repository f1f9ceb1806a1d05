package solve

import (
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// rowInverse computes (1 + rho G)^-1 with G = c WW', the Gram matrix of the rows of c equal penalties. The matrices of
// the iterations follow without a product: W (1 + c rho W'W)^-1 W' = (1 - (1 + rho G)^-1) / (c rho).
type rowInverse struct {
	w         *mat.Dense
	penalties float64 // c
	gram      *mat.SymDense
	rho       float64
	inverse   *mat.SymDense // for rho
	matrices  map[float64]*kernel.Matrix
}

func newRowInverse(w *mat.Dense, penalties float64) *rowInverse {
	k, _ := w.Dims()
	gram := mat.NewSymDense(k, nil)
	gram.SymOuterK(penalties, w)
	return &rowInverse{w: w, penalties: penalties, gram: gram, matrices: map[float64]*kernel.Matrix{}}
}

// of returns (1 + rho G)^-1. It adds a multiple of the identity that makes up for rounding if G is large, and is far
// below the resolution of float32.
func (v *rowInverse) of(rho float64) *mat.SymDense {
	if v.rho == rho {
		return v.inverse
	}
	const resolution = 1e-12
	n := v.gram.SymmetricDim()
	sum := mat.NewSymDense(n, nil)
	sum.ScaleSym(rho, v.gram)
	diagonal := 1 + resolution*sum.Trace()
	for i := range n {
		sum.SetSym(i, i, sum.At(i, i)+diagonal)
	}
	// mat.Cholesky would find the condition of the matrix, too, which takes a quarter of its time
	factor, ok := lapack64.Potrf(sum.RawSymmetric())
	if ok {
		_, ok = lapack64.Potri(factor) // the inverse overwrites the sum
	}
	if !ok {
		// only for input that Transform and Schedule exclude
		panic("solve: a positive definite matrix could not be inverted")
	}
	v.rho, v.inverse = rho, sum
	return v.inverse
}

// iteration returns W (1 + c rho W'W)^-1 W'. Iterations with the same rho share it.
func (v *rowInverse) iteration(rho float64) *kernel.Matrix {
	if m := v.matrices[rho]; m != nil {
		return m
	}
	inverse, scale := v.of(rho).RawSymmetric(), v.penalties*rho
	n := inverse.N
	a := make([]float32, n*n)
	for i := range n {
		for j, x := range inverse.Data[i*inverse.Stride+i:][:n-i] {
			x = -x / scale
			if j == 0 {
				x += 1 / scale
			}
			a[i*n+i+j], a[(i+j)*n+i] = float32(x), float32(x)
		}
	}
	v.matrices[rho] = kernel.Pack(a, n, n)
	return v.matrices[rho]
}

// back returns W' (1 + c rho WW')^-1 = (1 + c rho W'W)^-1 W'.
func (v *rowInverse) back(rho float64) *kernel.Matrix {
	var back mat.Dense
	back.Mul(v.w.T(), v.of(rho))
	return pack(&back)
}

func ones(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = 1
	}
	return v
}
