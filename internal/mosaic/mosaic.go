// Package mosaic takes the samples of a sensor with colour filters apart into pictures of red, green and blue of half
// the size, and puts them together again.
package mosaic

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Mosaic is samples row by row, each of one colour: 0 is red, 1 green, 2 blue. Colours holds those of the first two
// rows and columns, which repeat: each of the two greens is in another row.
type Mosaic struct {
	Pix           []float32
	Width, Height int
	Colours       [2][2]int
}

// side is the side of a cell of the mosaic.
const side = 2

// View is one way to divide a mosaic into cells of four samples, and to make a colour picture of them: with red, blue,
// and one of both greens. Cells begin DX columns and DY rows from the corner. Samples beyond the edges are those on the
// other side of it, at the same distance.
type View struct{ DX, DY, Green int }

// Views returns views with two or all four of the places where cells may begin, both greens in each. A mean over views
// hides the cells.
func Views(all bool) (views []View) {
	for _, at := range [][2]int{{0, 0}, {1, 1}, {0, 1}, {1, 0}} {
		for green := range 2 {
			views = append(views, View{at[0], at[1], green})
		}
	}
	if !all {
		return views[:len(views)/2]
	}
	return views
}

// Size returns the sides of the pictures of a view. One cell goes around the mosaic, so that all views cover it.
func (m Mosaic) Size() (width, height int) { return (m.Width+1)/side + 1, (m.Height+1)/side + 1 }

// place returns where in a cell the samples of red, green and blue are.
func (m Mosaic) place(v View) (x, y [3]int) {
	greens := 0
	for k := range side * side {
		cx, cy := k%side, k/side
		c := m.Colours[(cy+v.DY)%side][(cx+v.DX)%side]
		if c == 1 {
			if greens++; greens-1 != v.Green {
				continue
			}
		}
		x[c], y[c] = cx+v.DX-side, cy+v.DY-side
	}
	return x, y
}

// Picture returns the red, green and blue of a view.
func (m Mosaic) Picture(ctx context.Context, workers int, v View) [][]float32 {
	width, height := m.Size()
	x, y := m.place(v)
	planes := make([][]float32, len(x))
	for c := range planes {
		planes[c] = make([]float32, width*height)
	}
	_ = parallel.For(ctx, workers, height, func(_, row int) {
		for c, p := range planes {
			from := m.Pix[mirrored(side*row+y[c], m.Height)*m.Width:][:m.Width]
			for i := range width {
				p[row*width+i] = from[mirrored(side*i+x[c], m.Width)]
			}
		}
	})
	return planes
}

// mirrored returns the place of the sample that stands for one beyond an edge. It has the same colour.
func mirrored(i, n int) int {
	for i < 0 || i >= n {
		if i < 0 {
			i = -i
		}
		if i >= n {
			i = 2*(n-1) - i
		}
	}
	return i
}

// Sum is the sum of pictures, put together again.
type Sum struct {
	Mosaic
	sum   []float32
	count [side * side]float32 // pictures that have a sample, by its place in the cells of the mosaic
}

// NewSum returns a sum of no pictures.
func (m Mosaic) NewSum() *Sum { return &Sum{Mosaic: m, sum: make([]float32, len(m.Pix))} }

// Add adds the picture of a view.
func (s *Sum) Add(ctx context.Context, workers int, v View, planes [][]float32) {
	width, height := s.Size()
	x, y := s.place(v)
	for c := range planes {
		s.count[(y[c]+side)%side*side+(x[c]+side)%side]++
	}
	_ = parallel.For(ctx, workers, height, func(_, row int) {
		for c, p := range planes {
			at := side*row + y[c]
			if at < 0 || at >= s.Height {
				continue
			}
			to := s.sum[at*s.Width:][:s.Width]
			for i := range width {
				if k := side*i + x[c]; k >= 0 && k < s.Width {
					to[k] += p[row*width+i]
				}
			}
		}
	})
}

// Mean returns the mean of the pictures for the sample in a column and row.
func (s *Sum) Mean(x, y int) float32 { return s.sum[y*s.Width+x] / s.count[y%side*side+x%side] }
