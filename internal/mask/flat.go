package mask

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

const (
	flatSide = 16 // side of the square of one value that makes an area
	edgeSide = 4  // side of the squares of one value that belong to an area they touch
)

// Flat marks the areas of width x height planes in which each plane has one value. An area holds a square of 16 x 16
// samples, and all squares of 4 x 4 that are connected to it: where the noise of a dark picture is cut off at zero,
// runs of zeros between the others are no area. Flat returns nil if there is none. The result does not depend on the
// number of workers; 0 means all processors.
func Flat(planes [][]float32, width, height, workers int) *Mask {
	if len(planes) == 0 || !anyFlatCell(planes, width, height) {
		return nil
	}
	sides, seeds := squares(planes, width, height, workers)
	if len(seeds) == 0 {
		return nil
	}
	m := New(width * height)
	for len(seeds) > 0 { // each is the last sample of a square
		at := seeds[len(seeds)-1]
		seeds = seeds[:len(seeds)-1]
		for y := range edgeSide {
			for x := range edgeSide {
				m.Mark(at - y*width - x)
			}
		}
		for _, next := range [...]int{at - 1, at + 1, at - width, at + width} {
			if next >= 0 && next < len(sides) && sides[next] >= edgeSide {
				sides[next] = 0 // it is done
				seeds = append(seeds, next)
			}
		}
	}
	return m
}

// anyFlatCell reports whether a cell has one value in each plane: a square of flatSide holds one of a grid of half the
// step, so most pictures need no closer look. Most cells are left after two samples.
func anyFlatCell(planes [][]float32, width, height int) bool {
	for y := 0; y+flatSide/2 <= height; y += flatSide / 2 {
		for x := 0; x+flatSide/2 <= width; x += flatSide / 2 {
			if isFlatCell(planes, width, y*width+x) {
				return true
			}
		}
	}
	return false
}

func isFlatCell(planes [][]float32, width, at int) bool {
	for _, p := range planes {
		first := p[at]
		for y := range flatSide / 2 {
			for _, v := range p[at+y*width:][:flatSide/2] {
				if v != first {
					return false
				}
			}
		}
	}
	return true
}

// squares returns for each sample the side of the largest square of one value, up to flatSide, whose last sample it is.
// Seeds are the samples that end a square of flatSide; their own side is 0.
func squares(planes [][]float32, width, height, workers int) (sides []uint8, seeds []int) {
	sides = make([]uint8, width*height)
	const high = 16 * flatSide // rows that are done together
	bands := make([][]int, (height+high-1)/high)
	_ = parallel.For(context.Background(), workers, len(bands), func(_, band int) { // too short to stop
		bands[band] = squaresIn(planes, sides, width, band*high, min((band+1)*high, height))
	})
	return sides, slices.Concat(bands...)
}

// squaresIn fills rows of sides, and returns the seeds in them. Squares reach into the rows before.
func squaresIn(planes [][]float32, sides []uint8, width, from, to int) (seeds []int) {
	above, row := make([]uint8, width), make([]uint8, width)
	for y := max(0, from-flatSide+1); y < to; y++ {
		nextSides(planes, above, row, y)
		above, row = row, above
		if y < from {
			continue
		}
		out := sides[y*width:][:width]
		for x, side := range above {
			if out[x] = side; side == flatSide {
				out[x] = 0
				seeds = append(seeds, y*width+x)
			}
		}
	}
	return seeds
}

// nextSides fills row y, given the one above. Samples without a neighbour above or to the left have sides of 1.
func nextSides(planes [][]float32, above, row []uint8, y int) {
	for x := range row {
		row[x] = 1
	}
	if y == 0 {
		return
	}
	width := len(row)
	up, at := planes[0][(y-1)*width:][:width], planes[0][y*width:][:width]
	for x := 1; x < width; x++ {
		if v := at[x]; v == at[x-1] && v == up[x] && v == up[x-1] && sameAsNeighbours(planes[1:], y*width+x, width) {
			row[x] = min(above[x-1]+1, above[x]+1, row[x-1]+1, flatSide)
		}
	}
}

// sameAsNeighbours reports whether sample i has the values of those to the left and above.
func sameAsNeighbours(planes [][]float32, i, width int) bool {
	for _, p := range planes {
		if v := p[i]; v != p[i-1] || v != p[i-width] || v != p[i-width-1] {
			return false
		}
	}
	return true
}

// maxAlike is the share of samples of a picture that equal those to the right and below. Noise leaves less, drawings
// have more.
const maxAlike = 0.125

// InPicture reports whether what flat areas leave of an image is a picture with noise, so that the areas were put into
// it or around it. Else they are a part of it: the paper of a drawing, the ground of a chart. A picture takes whole
// cells, of which lines and letters on a flat ground leave few.
func (m *Mask) InPicture(planes [][]float32, width, height, workers int) bool {
	var cells, alike atomic.Int64
	_ = parallel.For(context.Background(), workers, max(0, height-1)/flatSide, func(_, row int) { // too short to stop
		for x := 0; x+flatSide < width; x += flatSide {
			if at := row*flatSide*width + x; !m.touches(at, width) {
				cells.Add(1)
				alike.Add(int64(alikeIn(planes, at, width)))
			}
		}
	})
	inside, rest := cells.Load()*flatSide*flatSide, int64(width*height-m.Len())
	return 2*inside > rest && float64(alike.Load()) < maxAlike*float64(inside)
}

// touches reports whether a sample of the cell at a place is marked.
func (m *Mask) touches(at, width int) bool {
	if m == nil {
		return false
	}
	for y := range flatSide {
		if m.run(at+y*width, flatSide, false) < flatSide {
			return true
		}
	}
	return false
}

// alikeIn counts the samples of a cell that equal those to the right and below in all planes.
func alikeIn(planes [][]float32, at, width int) (n int) {
	for y := range flatSide {
		row, below := planes[0][at+y*width:][:flatSide+1], planes[0][at+(y+1)*width:][:flatSide]
		for x, v := range below {
			if row[x] != v || row[x] != row[x+1] {
				continue
			}
			i, same := at+y*width+x, true
			for _, p := range planes[1:] {
				same = same && p[i] == p[i+1] && p[i] == p[i+width]
			}
			if same {
				n++
			}
		}
	}
	return n
}
