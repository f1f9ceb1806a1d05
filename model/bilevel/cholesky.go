package bilevel

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// cholesky is the factor L of W_0 W_0' = L L' for a growing list of rows of W, taken from the Gram matrix W W'. Rows
// are appended one at a time, so that a row that depends on those before it is noticed and left out.
type cholesky struct {
	k       int
	gram    []float64 // k x k
	rows    []int
	l       []float64 // lower triangle, row i at i*stride
	inverse []float64 // 1 / L_ii
	stride  int
}

func newCholesky(gram []float64, k, n int) *cholesky {
	size := min(k, n)
	return &cholesky{k: k, gram: gram, stride: size, l: make([]float64, size*size),
		inverse: make([]float64, size), rows: make([]int, 0, size)}
}

// dependence is the smallest squared sine of the angle between a row and the span of those before it.
const dependence = 1e-13

// reset removes all rows.
func (f *cholesky) reset() { f.rows = f.rows[:0] }

// add appends row i of W. It returns false, and does nothing, if row i depends on the rows already there.
func (f *cholesky) add(i int) bool {
	m := len(f.rows)
	if m == f.stride {
		return false
	}
	gram := f.gram[i*f.k : (i+1)*f.k]
	row := f.l[m*f.stride : m*f.stride+m]
	for j, r := range f.rows {
		lj := f.l[j*f.stride : j*f.stride+j]
		row[j] = (gram[r] - floats.Dot(row[:j], lj)) * f.inverse[j]
	}
	d := gram[i] - floats.Dot(row, row)
	if !(d > dependence*gram[i]) {
		return false
	}
	f.inverse[m] = 1 / math.Sqrt(d)
	f.rows = append(f.rows, i)
	return true
}

// set makes the factor that of the given rows and reports whether they are independent.
func (f *cholesky) set(rows []int) bool {
	f.reset()
	for _, i := range rows {
		if !f.add(i) {
			return false
		}
	}
	return true
}

// solve replaces b by (W_0 W_0')^-1 b.
func (f *cholesky) solve(b []float64) {
	for i := range b {
		b[i] = (b[i] - floats.Dot(f.l[i*f.stride:i*f.stride+i], b[:i])) * f.inverse[i]
	}
	for i := len(b) - 1; i >= 0; i-- {
		b[i] *= f.inverse[i]
		floats.AddScaled(b[:i], -b[i], f.l[i*f.stride:i*f.stride+i])
	}
}
