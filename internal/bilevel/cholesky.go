package bilevel

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// cholesky is the factor L of W_0 W_0' = L L' for a list of rows of W that changes, computed from the Gram matrix W W'.
// Rows that depend on earlier ones are detected and left out.
type cholesky struct {
	k       int
	gram    []float64 // k x k
	rows    []int
	l       []float64 // lower triangle, row i at i*stride
	inverse []float64 // 1 / L_ii
	column  []float64 // scratch: a column, or two numbers for each rotation
	size    int       // most rows
	stride  int
}

func newCholesky(gram []float64, k, n int) *cholesky {
	const pad = 8 // avoids strides that are powers of two, which map rows to few cache sets
	size := min(k, n)
	return &cholesky{k: k, gram: gram, size: size, stride: size + pad, l: make([]float64, size*(size+pad)),
		inverse: make([]float64, size), column: make([]float64, 2*size), rows: make([]int, 0, size)}
}

// dependence is the squared sine of the angle between a row and the span of the rows before it up to which the row
// counts as dependent.
const dependence = 1e-13

// add appends row i of W. If row i depends on the rows already there, it changes nothing and returns false.
func (f *cholesky) add(i int) bool {
	m := len(f.rows)
	if m == f.size {
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
	f.setDiagonal(m, math.Sqrt(d))
	f.rows = append(f.rows, i)
	return true
}

func (f *cholesky) setDiagonal(j int, v float64) {
	f.l[j*f.stride+j] = v
	f.inverse[j] = 1 / v
}

// set computes the factor of the given rows and reports whether it took all. It stops before the first row that depends
// on earlier ones or exceeds the size. It computes column by column, by one matrix-vector product each.
func (f *cholesky) set(rows []int) bool {
	all := len(rows)
	rows = rows[:min(all, f.size)]
	f.rows = append(f.rows[:0], rows...)
	for j, r := range rows {
		gram := f.gram[r*f.k : (r+1)*f.k]
		column := f.column[:len(rows)-j]
		for t, i := range rows[j:] {
			column[t] = gram[i]
		}
		if j > 0 {
			below := blas64.General{Rows: len(column), Cols: j, Stride: f.stride, Data: f.l[j*f.stride:]}
			blas64.Gemv(blas.NoTrans, -1, below, vector(f.l[j*f.stride:j*f.stride+j]), 1, vector(column))
		}
		if !(column[0] > dependence*gram[r]) {
			f.rows = f.rows[:j]
			return false
		}
		f.setDiagonal(j, math.Sqrt(column[0]))
		for t, v := range column[1:] {
			f.l[(j+1+t)*f.stride+j] = v * f.inverse[j]
		}
	}
	return len(rows) == all
}

// remove removes the row at an index of the list. The rows after it then have one entry to the right of the diagonal
// each; rotations of neighbouring columns make these zero.
func (f *cholesky) remove(index int) {
	f.rows = slices.Delete(f.rows, index, index+1)
	for i := index; i < len(f.rows); i++ {
		row := f.l[i*f.stride:][:i+2]
		copy(row, f.l[(i+1)*f.stride:][:i+2])
		v := row[index]
		for j := index; j < i; j++ { // rotations of the rows before
			c, s := f.column[2*j], f.column[2*j+1]
			row[j], v = c*v+s*row[j+1], c*row[j+1]-s*v
		}
		d := math.Sqrt(v*v + row[i+1]*row[i+1])
		f.setDiagonal(i, d)
		f.column[2*i], f.column[2*i+1] = v/d, row[i+1]/d
	}
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

// solved returns the solution for a right-hand side with a value for each row of W_0. It takes scratch memory.
func (f *cholesky) solved(scratch []float64, right func(row int) float64) []float64 {
	v := scratch[:len(f.rows)]
	for j, i := range f.rows {
		v[j] = right(i)
	}
	f.solve(v)
	return v
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Data: v, Inc: 1} }
