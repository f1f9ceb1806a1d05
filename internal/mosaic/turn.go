package mosaic

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Turn is one way to lay a mosaic out such that red is at even rows and columns and blue at odd ones: mirrored in one
// direction, or in both, or with rows and columns swapped.
type Turn struct{ Across, Down, Swapped bool }

// Turns returns the first n of all eight turns.
func Turns(n int) (turns []Turn) {
	for i := range n {
		turns = append(turns, Turn{Across: i&2 != 0, Down: (i&2 != 0) != (i&4 != 0), Swapped: i&1 != 0})
	}
	return turns
}

// line holds where the samples of a row or column of a turned mosaic are in the mosaic, and which are beyond its edges:
// these are those on the other side of it, at the same distance.
type line struct {
	at     []int
	beyond []bool
}

// lineOf returns the line of n samples, from or to the first one that has the parity of red.
func lineOf(n, red, stride int, backwards bool) (l line) {
	first, last, step := -red, n-1, 1
	if backwards {
		first, last, step = n-1+(n-1+red)%side, 0, -1
	}
	for i := first; i != last+step; i += step {
		l.at = append(l.at, mirrored(i, n)*stride)
		l.beyond = append(l.beyond, i < 0 || i >= n)
	}
	return l
}

// lines returns the places of the rows and columns of a turned mosaic. The place of a sample is their sum.
func (m Mosaic) lines(t Turn) (rows, columns line) {
	for k := range side * side {
		if x, y := k%side, k/side; m.Colours[y][x] == 0 {
			rows, columns = lineOf(m.Height, y, m.Width, t.Down), lineOf(m.Width, x, 1, t.Across)
		}
	}
	if t.Swapped {
		return columns, rows
	}
	return rows, columns
}

// Turned returns the samples of a turned mosaic.
func (m Mosaic) Turned(ctx context.Context, workers int, t Turn) (pix []float32, width, height int) {
	rows, columns := m.lines(t)
	width, height = len(columns.at), len(rows.at)
	pix = make([]float32, width*height)
	_ = parallel.For(ctx, workers, height, func(_, y int) {
		row := pix[y*width:][:width]
		for x, at := range columns.at {
			row[x] = m.Pix[rows.at[y]+at]
		}
	})
	return pix, width, height
}

// AddTurned adds the samples of a turned mosaic.
func (m Mosaic) AddTurned(ctx context.Context, workers int, t Turn, pix []float32) {
	rows, columns := m.lines(t)
	_ = parallel.For(ctx, workers, len(rows.at), func(_, y int) {
		if rows.beyond[y] {
			return
		}
		row := pix[y*len(columns.at):]
		for x, at := range columns.at {
			if !columns.beyond[x] {
				m.Pix[rows.at[y]+at] += row[x]
			}
		}
	})
}
