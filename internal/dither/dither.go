// Package dither rounds the smooth parts of a picture to the levels of a file so that no steps show.
//
// Rounding turns a soft ramp, such as a clear sky, into bands of one level each, which show when the contrast is
// raised. Dither rounds up or down by a pattern instead: over a few pixels the mean is right. It costs a little
// accuracy, so parts with texture or noise are left alone: there are no bands in them.
//
// A sample gets its level from its value, its place and the samples up to Reach away. So a part of a picture gets the
// samples of the whole.
package dither

import (
	"context"
	goimage "image"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Reach is how far around a sample others decide about it.
const Reach = 2*side - 1

const (
	side = 4 // of the blocks that the smoothness is measured in
	// maxSpan is the range, in levels, of what counts as smooth, over three by three blocks. On a ramp of that range, a
	// band is 5 pixels wide.
	maxSpan = 3.5
	// share is how much of a level the pattern adds or takes at most, twice. With less, bands show faintly at 6 times
	// the contrast. With more, the error grows, and flat areas get dots.
	share = 0.65
)

// Picture is planes of samples of 0 to 1 that are seen together, row by row.
type Picture struct {
	Planes [][]float32
	Width  int           // of a row
	At     goimage.Point // of the first sample in the whole picture
	Levels float32       // of the file, less one
}

// Round gives the samples of smooth parts of an area of p, in the coordinates of the whole picture, values of levels of
// the file. Samples of p around the area, up to Reach or to the edge of the whole picture, decide about them.
func (p Picture) Round(area goimage.Rectangle, workers int) {
	if len(p.Planes) == 0 || area.Empty() {
		return
	}
	b := p.blocks()
	b.measure(p, workers)
	rows := blocksOf(area)
	_ = parallel.For(context.Background(), workers, rows.Dy(), func(_, i int) { // too short to stop
		y := rows.Min.Y + i
		for x := rows.Min.X; x < rows.Max.X; x++ {
			if b.smooth(x, y, p.span()) {
				p.roundBlock(goimage.Rect(x*side, y*side, (x+1)*side, (y+1)*side).Intersect(area))
			}
		}
	})
}

func (p Picture) span() float32 { return maxSpan / p.Levels }

// bounds returns where the samples lie in the whole picture.
func (p Picture) bounds() goimage.Rectangle {
	return goimage.Rect(0, 0, p.Width, len(p.Planes[0])/p.Width).Add(p.At)
}

// roundBlock rounds the samples of an area.
func (p Picture) roundBlock(area goimage.Rectangle) {
	for _, plane := range p.Planes {
		for y := area.Min.Y; y < area.Max.Y; y++ {
			row := plane[(y-p.At.Y)*p.Width:][area.Min.X-p.At.X : area.Max.X-p.At.X]
			for i, v := range row {
				row[i] = p.level(v, area.Min.X+i, y) / p.Levels
			}
		}
	}
}

// level returns the level of a sample at a place of the whole picture.
func (p Picture) level(v float32, x, y int) float32 {
	up := float64(v) * float64(p.Levels)
	level := math.Floor(up + 0.5 + pattern(x, y))
	return float32(min(max(level, 0), float64(p.Levels)))
}

// pattern returns what is added to a sample before it is rounded. Values of neighbours are far from each other, and
// each is as frequent as the others: steps of the plastic number and of its square, modulo 1, folded so that there is
// no jump.
func pattern(x, y int) float64 {
	t := uint32(x)*0xC13FA9A9 + uint32(y)*0x91E10DA6
	if t >= 1<<31 {
		t = ^t
	}
	return share * (float64(t)/(1<<31) - 0.5)
}
