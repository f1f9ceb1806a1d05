package main

import (
	"math"
	"math/rand/v2"
)

// Photographs have few lines and letters in full colours. So some parts of the pictures that train chroma get drawn marks.
const (
	mostMarks    = 40
	mostWidth    = 8   // of a stroke, in samples
	mostLength   = 60  // of a stroke, in samples
	emptyOfMarks = 0.3 // share of the marked parts whose picture is replaced by one colour
)

// drawMarks draws strokes in random colours over a picture. Planes are red, green and blue.
func drawMarks(planes [][]float32, width, height int, rng *rand.Rand) {
	if rng.Float64() < emptyOfMarks {
		ground := markColour(0.3, rng)
		for k, p := range planes {
			for i := range p {
				p[i] = ground[k]
			}
		}
	}
	for range rng.IntN(mostMarks) {
		s := stroke{colour: markColour(1, rng), thickness: 1 + (mostWidth-1)*math.Pow(rng.Float64(), 2)}
		s.x0, s.y0 = rng.Float64()*float64(width), rng.Float64()*float64(height)
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		length := mostLength * rng.Float64()
		s.x1, s.y1 = s.x0+length*cos, s.y0+length*sin
		s.draw(planes, width, height)
	}
}

// markColour returns a random colour. Saturation is 0 for gray and 1 for any colour.
func markColour(saturation float64, rng *rand.Rand) (c [3]float32) {
	gray := rng.Float64()
	for k := range c {
		c[k] = float32(gray + saturation*(rng.Float64()-gray))
	}
	return c
}

// stroke is a straight line with round ends.
type stroke struct {
	x0, y0, x1, y1 float64
	thickness      float64
	colour         [3]float32
}

// draw blends the stroke over a picture. Samples that it covers in part get a mixture.
func (s stroke) draw(planes [][]float32, width, height int) {
	margin := s.thickness/2 + 1
	left, right := int(max(min(s.x0, s.x1)-margin, 0)), int(min(max(s.x0, s.x1)+margin, float64(width-1)))
	top, bottom := int(max(min(s.y0, s.y1)-margin, 0)), int(min(max(s.y0, s.y1)+margin, float64(height-1)))
	for y := top; y <= bottom; y++ {
		for x := left; x <= right; x++ {
			cover := float32(min(max(s.thickness/2+0.5-s.distance(float64(x), float64(y)), 0), 1))
			for k, p := range planes {
				p[y*width+x] += cover * (s.colour[k] - p[y*width+x])
			}
		}
	}
}

// distance returns how far a point is from the line.
func (s stroke) distance(x, y float64) float64 {
	dx, dy := s.x1-s.x0, s.y1-s.y0
	along := 0.0
	if square := dx*dx + dy*dy; square > 0 {
		along = min(max(((x-s.x0)*dx+(y-s.y0)*dy)/square, 0), 1)
	}
	return math.Hypot(x-s.x0-along*dx, y-s.y0-along*dy)
}
