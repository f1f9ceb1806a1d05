package main

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// filtersPerRow is the number of filters in a row of the picture.
const filtersPerRow = 16

// drawFilters draws the filters of a stage in a grid, with a border of one sample around each.
func drawFilters(s stage.Stage, zoom int) image.Image {
	var filters [][]float64
	transforms := s.Filters()
	for _, t := range transforms {
		rows := strongestFirst(t)
		if len(transforms) > 1 { // one row of the picture for each cluster
			rows = rows[:min(filtersPerRow, len(rows))]
			for len(rows) < filtersPerRow {
				rows = append(rows, make([]float64, t.N))
			}
		}
		filters = append(filters, rows...)
	}
	side := int(math.Sqrt(float64(transforms[0].N)))
	cell := side + 1
	lines := (len(filters) + filtersPerRow - 1) / filtersPerRow
	picture := image.NewGray(image.Rect(0, 0, filtersPerRow*cell+1, lines*cell+1))
	for i, f := range filters {
		drawFilter(picture, f, 1+i%filtersPerRow*cell, 1+i/filtersPerRow*cell, side)
	}
	return display.Resized(picture, picture.Rect.Dx()*zoom, picture.Rect.Dy()*zoom)
}

func strongestFirst(t solve.Transform) [][]float64 {
	norms := t.RowNorms()
	order := make([]int, t.K)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(norms[b], norms[a]) })
	rows := make([][]float64, t.K)
	for i, r := range order {
		rows[i] = t.Row(r)
	}
	return rows
}

// drawFilter maps [-m, m] to black and white, with m the largest magnitude of the filter.
func drawFilter(picture *image.Gray, f []float64, x, y, side int) {
	m := 0.0
	for _, v := range f {
		m = max(m, math.Abs(v))
	}
	for i, v := range f {
		level := 127.5
		if m > 0 {
			level += 127.5 * v / m
		}
		picture.SetGray(x+i%side, y+i/side, color.Gray{Y: uint8(math.Round(level))})
	}
}
