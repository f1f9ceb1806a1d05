package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// strengths are a map of the strength of the noise over an image. Samples are divided by the strength, so that the
// noise is equally strong everywhere before it is removed, and multiplied afterwards.
type strengths struct {
	*noisecurve.Places
	origin goimage.Point // of the places in the image
	about  float32       // the brightness that division and multiplication leave as it is
}

// tileOfOneStrength is the side of tiles that are divided by one number where the noise is measured, so that flat areas
// stay flat.
const tileOfOneStrength = 64

// divideTiles divides the samples of an image by the strength of the noise in the middle of their tile.
func (s *strengths) divideTiles(img image, by pool) {
	middle := func(i int) int { return i/tileOfOneStrength*tileOfOneStrength + tileOfOneStrength/2 }
	s.eachRow(img, by, func(factors []float32, y int) {
		row := make([]float32, len(factors)+tileOfOneStrength)
		s.Row(row, -s.origin.X, middle(y)-s.origin.Y)
		for x := range factors {
			factors[x] = 1 / row[middle(x)]
		}
	})
}

// divide divides the samples of an image by the strength of the noise. The image begins at a point of the whole one.
func (s *strengths) divide(img image, at goimage.Point, by pool) {
	s.eachRow(img, by, func(factors []float32, y int) {
		s.Row(factors, at.X-s.origin.X, at.Y-s.origin.Y+y)
		for x, f := range factors {
			factors[x] = 1 / f
		}
	})
}

// multiply undoes divide.
func (s *strengths) multiply(img image, at goimage.Point, by pool) {
	s.eachRow(img, by, func(factors []float32, y int) {
		s.Row(factors, at.X-s.origin.X, at.Y-s.origin.Y+y)
	})
}

// eachRow multiplies the rows of an image by factors, relative to the brightness that stays.
func (s *strengths) eachRow(img image, by pool, factorsOf func(factors []float32, y int)) {
	by.each(img.height, func(y int) {
		factors := make([]float32, img.width)
		factorsOf(factors, y)
		for _, p := range img.planes {
			row := p[y*img.width:][:img.width]
			for x, f := range factors {
				row[x] = s.about + (row[x]-s.about)*f
			}
		}
	})
}

// moved returns the strengths for an image, given the place in it of the image that was measured.
func (s *strengths) moved(by goimage.Point) *strengths {
	if s == nil {
		return nil
	}
	t := *s
	t.origin = t.origin.Add(by)
	return &t
}
