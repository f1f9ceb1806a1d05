package kernel

import (
	"fmt"
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

func zeros(b *backend, rows, cols int) *Matrix {
	return &Matrix{rows, cols, b, make([]float32, (rows+b.tile-1)/b.tile*b.tile*cols)}
}

func (m *Matrix) setRow(i int, values []float32) {
	n := m.backend.tile
	tile := m.tiles[i/n*n*m.Cols+i%n:]
	for j, v := range values {
		tile[j*n] = v
	}
}
