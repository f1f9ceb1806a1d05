package noisemap

import (
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/quantile"
)

// most is how many cells a map has along the longer side of a picture at most, and how many points a curve.
const most = 32

// Curve is the standard deviation of noise at some levels, which rise.
type Curve struct{ Levels, Sigmas []float64 }

// Even returns the curve of noise that is the same at all levels.
func Even(sigma float64) Curve { return Curve{[]float64{0}, []float64{sigma}} }

// At returns the noise at a level. The curve must have points.
func (c Curve) At(level float64) float64 {
	return noisecurve.Interpolate(c.Levels, c.Sigmas, level)
}

// CurveOf returns the noise by brightness: what nine of ten blocks of about the same level have at most. When noise
// is removed some of it is left, so the median of what was removed is too little. Where noise is clipped it reaches
// further to one side, and that side counts. Without blocks there are no points.
func CurveOf(blocks []Block) (c Curve) {
	blocks = slices.Clone(blocks)
	slices.SortStableFunc(blocks, func(a, b Block) int {
		switch {
		case a.Level < b.Level:
			return -1
		case a.Level > b.Level:
			return 1
		}
		return 0
	})
	points := min(most, int(math.Sqrt(float64(len(blocks)))))
	for i := range points {
		some := blocks[i*len(blocks)/points : (i+1)*len(blocks)/points]
		level := 0.0
		for _, b := range some {
			level += b.Level / float64(len(some))
		}
		var above, below []float64
		for _, b := range some {
			above, below = append(above, b.Above), append(below, b.Below)
		}
		c.Levels = append(c.Levels, level)
		c.Sigmas = append(c.Sigmas, math.Sqrt(max(quantile.Of(above, nineOfTen), quantile.Of(below, nineOfTen))))
	}
	return c
}

const nineOfTen = 0.9

// RMS returns the root mean square of the noise of all blocks at each size. It is 0 without blocks.
func RMS(blocks []Block) (rms [Scales]float64) {
	for _, b := range blocks {
		for i, s := range b.Squares {
			rms[i] += s / float64(len(blocks))
		}
	}
	for i, s := range rms {
		rms[i] = math.Sqrt(s)
	}
	return rms
}

// Cells are the cells of a map: squares of some blocks. The last of a row or a column reach to the edge of the
// picture.
type Cells struct{ Side, Columns, Rows int }

// CellsOf returns the cells for a picture, of which there are few on each side.
func CellsOf(width, height int) Cells {
	side := Side * max(1, (max(width, height)+Side*most-1)/(Side*most))
	along := func(length int) int { return max(1, (length/Side*Side+side-1)/side) }
	return Cells{side, along(width), along(height)}
}

// RMS returns the root mean square of the noise in each cell, row by row. Cells without a block have NaN. A block
// belongs to the cell of its first sample.
func (c Cells) RMS(blocks []Block) []float64 {
	sums, counts := make([]float64, c.Columns*c.Rows), make([]float64, c.Columns*c.Rows)
	for _, b := range blocks {
		at := b.Y/c.Side*c.Columns + b.X/c.Side
		sums[at] += b.Squares[0]
		counts[at]++
	}
	for i, n := range counts {
		sums[i] = math.Sqrt(sums[i] / n)
	}
	return sums
}
