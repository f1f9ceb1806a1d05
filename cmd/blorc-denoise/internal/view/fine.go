package view

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// The fine part of what was removed from the brightness, which --grain gives back, goes to the page as one byte a pixel
// in steps of a quarter of a level.
const (
	fineZero  = 128
	fineSteps = 4
)

// removedFrom returns what was removed from the brightness of each pixel.
func removedFrom(before, after *imageio.Image) []float32 {
	removed := make([]float32, before.Width*before.Height)
	scale := 1 / float32(len(before.Planes))
	for c, p := range before.Planes {
		for i, v := range p {
			removed[i] += scale * (v - after.Planes[c][i])
		}
	}
	return removed
}

// finePart returns what a binomial filter over 5 x 5 samples takes from a removed brightness, as package denoise has
// it.
func finePart(removed []float32, w, h int) []float32 {
	fine := slices.Clone(removed)
	rows := make([]float32, w*h)
	for y := range h {
		binomial(rows[y*w:][:w], removed[y*w:][:w])
	}
	column, smooth := make([]float32, h), make([]float32, h)
	for x := range w {
		for y := range column {
			column[y] = rows[y*w+x]
		}
		binomial(smooth, column)
		for y, v := range smooth {
			fine[y*w+x] -= v
		}
	}
	return fine
}

// binomial filters samples by (1, 4, 6, 4, 1) / 16. Those at the ends are repeated.
func binomial(dst, src []float32) {
	last := len(src) - 1
	at := func(i int) float32 { return src[min(max(i, 0), last)] }
	for i := range dst {
		dst[i] = (at(i-2) + at(i+2) + 4*(at(i-1)+at(i+1)) + 6*at(i)) / 16
	}
}

// fineByte returns a part of a removed brightness as a byte.
func fineByte(d display.Range, v float32) byte {
	return byte(min(max(fineSteps*255*v/(d.High-d.Low)+fineZero+0.5, 0), 255))
}
