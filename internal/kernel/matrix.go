package kernel

import (
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
)

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
// So there is no need for all values at once. It uses the memory of n old matrices, which are no more to be used then,
// or of none.
func PackRows(old []*Matrix, n, rows, cols int, row func(i int, values []float32)) []*Matrix {
	if n < 1 || rows < 1 || cols < 1 {
		panic(fmt.Sprintf("kernel: %d matrices of %d x %d", n, rows, cols))
	}
	b := selected.Load()
	all, size := make([]*Matrix, n), tilesLen(b, rows, cols)
	var memory []float32
	if len(old) == 0 {
		memory = hugepage.Make[float32](n * size)
	}
	for k := range all {
		if len(old) > 0 {
			all[k] = zerosIn(old[k].tiles, b, rows, cols)
			continue
		}
		all[k] = zerosIn(memory[:size:size], b, rows, cols)
		memory = memory[size:]
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
	memory = hugepage.Grow(memory, tilesLen(b, rows, cols))
	clear(memory)
	return &Matrix{rows, cols, b, memory}
}

// tilesLen returns the number of values of the tiles of a matrix.
func tilesLen(b *backend, rows, cols int) int { return (rows + b.tile - 1) / b.tile * b.tile * cols }

func (m *Matrix) setRow(i int, values []float32) {
	n := m.backend.tile
	tile := m.tiles[i/n*n*m.Cols+i%n:]
	for j, v := range values {
		tile[j*n] = v
	}
}
