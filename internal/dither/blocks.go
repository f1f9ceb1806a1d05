package dither

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// blocks hold the least and the largest sample of each block of a picture, for each plane.
type blocks struct {
	at        goimage.Rectangle // in blocks of the whole picture
	low, high [][]float32
}

// blocksOf returns the blocks that an area of samples touches.
func blocksOf(area goimage.Rectangle) goimage.Rectangle {
	up := func(v int) int { return (v + side - 1) / side }
	return goimage.Rect(area.Min.X/side, area.Min.Y/side, up(area.Max.X), up(area.Max.Y))
}

// blocks returns those of a picture, without what they hold.
func (p Picture) blocks() *blocks {
	b := &blocks{at: blocksOf(p.bounds())}
	for range p.Planes {
		b.low = append(b.low, make([]float32, b.at.Dx()*b.at.Dy()))
		b.high = append(b.high, make([]float32, b.at.Dx()*b.at.Dy()))
	}
	return b
}

// measure fills the blocks.
func (b *blocks) measure(p Picture, workers int) {
	bounds := p.bounds()
	_ = parallel.For(context.Background(), workers, b.at.Dy(), func(_, i int) { // too short to stop
		for c, plane := range p.Planes {
			low, high := b.low[c][i*b.at.Dx():][:b.at.Dx()], b.high[c][i*b.at.Dx():][:b.at.Dx()]
			top := max((b.at.Min.Y+i)*side, bounds.Min.Y)
			for y := top; y < min((b.at.Min.Y+i+1)*side, bounds.Max.Y); y++ {
				measureRow(plane[(y-bounds.Min.Y)*p.Width:][:p.Width], bounds.Min.X%side, low, high, y == top)
			}
		}
	})
}

// measureRow widens the ranges of a row of blocks by a row of samples, of which the first lies skip samples behind the
// beginning of its block.
func measureRow(row []float32, skip int, low, high []float32, first bool) {
	for i := range low {
		from, to := max(i*side-skip, 0), min((i+1)*side-skip, len(row))
		least, most := low[i], high[i]
		if first {
			least, most = row[from], row[from]
		}
		for _, v := range row[from:to] {
			least, most = min(least, v), max(most, v)
		}
		low[i], high[i] = least, most
	}
}

// smooth reports whether the samples of a block and of those around it lie within a span, in each plane.
func (b *blocks) smooth(x, y int, span float32) bool {
	around := goimage.Rect(x-1, y-1, x+2, y+2).Intersect(b.at)
	for c, low := range b.low {
		high, first := b.high[c], (around.Min.Y-b.at.Min.Y)*b.at.Dx()-b.at.Min.X
		least, most := low[first+around.Min.X], high[first+around.Min.X]
		for range around.Dy() {
			for i := first + around.Min.X; i < first+around.Max.X; i++ {
				least, most = min(least, low[i]), max(most, high[i])
			}
			first += b.at.Dx()
		}
		if !(most-least <= span) {
			return false
		}
	}
	return true
}
