package kernel

import (
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
)

// IntMatrix is the left factor of a product of integers: each row is a scale times integers of 16 bits. It is packed
// for the backend that was selected when it was made, and immutable, so goroutines may share it.
//
// Sums of such products have 32 bits, and no sum overflows: integers are at most the root of 2^31 / Cols. With 192
// columns that is 3344, so rounding changes a value by 1/6688 of the largest of its row at most.
type IntMatrix struct {
	Rows, Cols int
	backend    *backend
	tiles      []int16
	scales     []float32 // of rows, with those that tiles are padded with
}

// intLayout says how a backend wants integers: rows of a matrix that tiles interleave, and neighbouring columns of a
// matrix or rows of a panel that stay together. A tile has them group by group, and a group row by row.
type intLayout struct{ tile, group int }

// padded returns the number of values of the tiles of a matrix, and of its rows with those that tiles are padded with.
func (l intLayout) padded(rows, cols int) (values, all int) {
	all = ceil(rows, l.tile) * l.tile
	return all * ceil(cols, l.group) * l.group, all
}

func ceil(n, d int) int { return (n + d - 1) / d }

// most returns the largest integer for sums of n products.
func most(n int) int { return min(int(math.Sqrt((1<<31-1)/float64(n))), math.MaxInt16) }

// IntScratch is memory for products of integers: a panel of integers, and the scales of its lanes.
type IntScratch struct {
	words  []int16
	scales [Lanes]float32
}

// NewIntScratch returns memory for panels of at most the given rows.
func NewIntScratch(rows int) *IntScratch {
	return &IntScratch{words: make([]int16, (rows+1)/2*2*Lanes)}
}

// quantize rounds a panel of the given rows.
func (s *IntScratch) quantize(be *backend, b []float32, rows int) []int16 {
	words := s.words[:ceil(rows, be.integers.group)*be.integers.group*Lanes]
	be.quantize(words, s.scales[:], b, rows, float32(most(rows)))
	return words
}

// MulIntegers sets c = a b, where each lane of b is rounded to a scale times integers, as rows of a are. Panel b has
// a.Cols rows and panel c has a.Rows.
//
// All backends return the same results. A lane with NaN or an infinity becomes NaN. In a lane whose values are all
// below 2^-100 they may become zero.
func MulIntegers(c []float32, a *IntMatrix, b []float32, s *IntScratch) {
	checkLen(b, a.Cols*Lanes)
	checkLen(c, a.Rows*Lanes)
	words := s.quantize(a.backend, b, a.Cols)
	a.backend.mulIntegers(c, a.tiles, a.scales, words, s.scales[:], a.Rows, ceil(a.Cols, a.backend.integers.group))
}

// PackIntegers rounds a row-major matrix with at least one row and one column.
func PackIntegers(a []float32, rows, cols int) *IntMatrix {
	if rows < 1 || cols < 1 {
		panic(fmt.Sprintf("kernel: a matrix of %d x %d", rows, cols))
	}
	checkLen(a, rows*cols)
	b := selected.Load()
	size, all := b.integers.padded(rows, cols)
	m := &IntMatrix{rows, cols, b, make([]int16, size), make([]float32, all)}
	panel, s := make([]float32, cols*Lanes), NewIntScratch(cols)
	for from := 0; from < rows; from += Lanes {
		clear(panel)
		for i := range min(Lanes, rows-from) {
			for j, v := range a[(from+i)*cols:][:cols] {
				panel[j*Lanes+i] = v
			}
		}
		m.setRows(from, panel, s)
	}
	return m
}

// setRows sets Lanes rows, or as many as there are, from one on. They are lanes of a panel.
func (m *IntMatrix) setRows(from int, panel []float32, s *IntScratch) {
	words, l := s.quantize(m.backend, panel, m.Cols), m.backend.integers
	copy(m.scales[from:m.Rows], s.scales[:])
	for i := from; i < min(from+Lanes, m.Rows); {
		n := min(l.tile-i%l.tile, from+Lanes-i, m.Rows-i) // rows of a tile
		length, _ := l.padded(l.tile, m.Cols)
		to := m.tiles[i/l.tile*length+i%l.tile*l.group:]
		for at := (i - from) * l.group; at < len(words); at += Lanes * l.group {
			copy(to, words[at:at+n*l.group])
			to = to[min(l.tile*l.group, len(to)):]
		}
		i += n
	}
}

// LargeTileMatrices are the matrices of a convolution with 3 x 3 taps in tiles of 4 x 4 cells.
type LargeTileMatrices struct {
	all    [LargeTileTaps]IntMatrix
	tiles  []int16
	scales []float32
}

// Tap returns the matrix for one value of transformed tiles.
func (t *LargeTileMatrices) Tap(k int) *IntMatrix { return &t.all[k] }

// Set makes the matrices of other weights, for the selected backend. It keeps the memory if that is large enough. Read
// sets the 3 x 3 taps of all inputs for one output. Panels is memory for LargeTileTaps panels with a row for each
// input.
func (t *LargeTileMatrices) Set(outputs, inputs int, read func(o int, taps []float32), panels []float32,
	s *IntScratch) {
	checkLen(panels, LargeTileTaps*inputs*Lanes)
	b := selected.Load()
	size, rows := b.integers.padded(outputs, inputs)
	t.tiles = hugepage.Grow(t.tiles, LargeTileTaps*size)
	t.scales = hugepage.Grow(t.scales, LargeTileTaps*rows)
	clear(t.tiles) // with what rows and columns are padded with
	clear(t.scales)
	for k := range t.all {
		t.all[k] = IntMatrix{outputs, inputs, b, t.tiles[k*size:][:size:size], t.scales[k*rows:][:rows:rows]}
	}
	taps := make([]float32, 9*inputs*min(outputs, Lanes))
	var factors [LargeTileTaps * Lanes]float32
	for o := 0; o < outputs; o += Lanes {
		n := min(Lanes, outputs-o)
		for j := range n {
			read(o+j, taps[9*inputs*j:][:9*inputs])
		}
		for i := range inputs {
			for j := range n {
				largeTileWeights(factors[j:], (*[9]float32)(taps[9*(inputs*j+i):]))
			}
			for k := range LargeTileTaps { // panels are too far from each other to write single values
				copy(panels[(k*inputs+i)*Lanes:][:Lanes], factors[k*Lanes:])
			}
		}
		for k := range t.all {
			t.all[k].setRows(o, panels[k*inputs*Lanes:][:inputs*Lanes], s)
		}
	}
}
