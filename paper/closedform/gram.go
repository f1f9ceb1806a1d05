package closedform

import "gonum.org/v1/gonum/mat"

// FactorizeGram sets factor to the Cholesky factor of I + c A'A. It fails only if an element is not finite: the matrix
// is at least the identity, so its condition is good.
func FactorizeGram(factor *mat.Cholesky, c float64, a mat.Matrix) bool {
	_, n := a.Dims()
	gram := mat.NewSymDense(n, nil)
	gram.SymOuterK(c, a.T())
	for i := range n {
		gram.SetSym(i, i, gram.At(i, i)+1)
	}
	return factor.Factorize(gram)
}

// SolveVec sets dst to the inverse of a factorized matrix of good condition times b. dst may be b.
func SolveVec(factor *mat.Cholesky, dst, b []float64) {
	_ = factor.SolveVecTo(mat.NewVecDense(len(dst), dst), mat.NewVecDense(len(b), b))
}
