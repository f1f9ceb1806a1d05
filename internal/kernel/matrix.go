package kernel

import "fmt"

// Matrix is the left factor of a product, packed for the backend that was selected when it was made. It is immutable,
// so goroutines may share it.
type Matrix struct {
	Rows, Cols int
	backend    *backend
	tiles      []float32
}

// Pack copies a row-major matrix with at least one row and one column. The copy consists of tiles of backend.tile rows,
// the last tile padded with zeros. A tile is stored column by column, because the product reads it in this order.
func Pack(a []float32, rows, cols int) *Matrix {
	if rows < 1 || cols < 1 || len(a) != rows*cols {
		panic(fmt.Sprintf("kernel: %d values for a matrix of %d x %d", len(a), rows, cols))
	}
	return pack(selected.Load(), a, rows, cols)
}

func pack(b *backend, a []float32, rows, cols int) *Matrix {
	m := zeros(b, rows, cols)
	for i := range rows {
		m.setRow(i, a[i*cols:(i+1)*cols])
	}
	return m
}

// PackRows is as Pack, but returns n matrices of the same size. Row sets row i of all of them, the first matrix first.
// So there is no need for all values at once. It uses the memory of old matrices, which are no more to be used then.
func PackRows(old []*Matrix, n, rows, cols int, row func(i int, values []float32)) []*Matrix {
	if n < 1 || rows < 1 || cols < 1 {
		panic(fmt.Sprintf("kernel: %d matrices of %d x %d", n, rows, cols))
	}
	b := selected.Load()
	all := make([]*Matrix, n)
	for k := range all {
		var memory []float32
		if k < len(old) {
			memory = old[k].tiles
		}
		all[k] = zerosIn(memory, b, rows, cols)
	}
	values := make([]float32, n*cols)
	for i := range rows {
		row(i, values)
		for k, m := range all {
			m.setRow(i, values[k*cols:][:cols])
		}
	}
	return all
}

func zeros(b *backend, rows, cols int) *Matrix { return zerosIn(nil, b, rows, cols) }

// zerosIn returns a matrix of zeros in memory, if that is large enough.
func zerosIn(memory []float32, b *backend, rows, cols int) *Matrix {
	n := (rows + b.tile - 1) / b.tile * b.tile * cols
	if n > cap(memory) {
		return &Matrix{rows, cols, b, make([]float32, n)}
	}
	memory = memory[:n]
	clear(memory)
	return &Matrix{rows, cols, b, memory}
}

func (m *Matrix) setRow(i int, values []float32) {
	n := m.backend.tile
	tile := m.tiles[i/n*n*m.Cols+i%n:]
	for j, v := range values {
		tile[j*n] = v
	}
}
