package baseline

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// moments sums x x' over lists of examples of length n. It keeps scratch memory, so each goroutine needs its own.
type moments struct {
	examples [][]float64
	panel    []float64 // copies of some examples, one after the other
}

// panelRows is how many examples are multiplied at a time, few enough to stay in the cache.
const panelRows = 64

// add adds sign times the sum of x x' over the listed examples to sum.
func (m *moments) add(sum *mat.SymDense, sign float64, list []int) {
	n := sum.SymmetricDim()
	if m.panel == nil {
		m.panel = make([]float64, panelRows*n)
	}
	for len(list) > 0 {
		count := min(panelRows, len(list))
		for r, e := range list[:count] {
			copy(m.panel[r*n:(r+1)*n], m.examples[e])
		}
		blas64.Syrk(blas.Trans, sign, blas64.General{Rows: count, Cols: n, Stride: n, Data: m.panel}, 1,
			sum.RawSymmetric())
		list = list[count:]
	}
}
