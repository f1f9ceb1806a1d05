package main

import (
	"math"
	"math/rand/v2"
)

// Photographs have few lines and letters in full colours, and few areas that are equally bright and differ in colour.
// So some parts of the pictures that train chroma get drawn marks.
const (
	maxMarks     = 40
	maxWidth     = 8    // of a stroke, in samples
	maxLength    = 60   // of a stroke, in samples
	maxShift     = 0.5  // of red, green or blue on one side of a line
	maxLines     = 3    // in a divided part
	equalLuma    = 0.7  // share of the lines with equal brightness on both sides
	emptyOfMarks = 0.4  // share of the marked parts whose picture is replaced by one colour
	divided      = 0.5  // share of the marked parts with areas
	onlyDivided  = 0.25 // share of the marked parts with areas and no strokes
)

// drawMarks draws areas and strokes in random colours over a picture. Planes are red, green and blue.
func drawMarks(planes [][]float32, width, height int, rng *rand.Rand) {
	if rng.Float64() < emptyOfMarks {
		ground := markColour(0.3, rng)
		for k, p := range planes {
			for i := range p {
				p[i] = ground[k]
			}
		}
	}
	kind := rng.Float64()
	if kind < divided {
		for range 1 + rng.IntN(maxLines) {
			divide(planes, width, height, rng)
		}
	}
	if kind < onlyDivided {
		return
	}
	for range rng.IntN(maxMarks) {
		s := stroke{colour: markColour(1, rng), thickness: 1 + (maxWidth-1)*math.Pow(rng.Float64(), 2)}
		s.x0, s.y0 = rng.Float64()*float64(width), rng.Float64()*float64(height)
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		length := maxLength * rng.Float64()
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

// divide changes the colours on one side of a random line. The brightness often stays as it is: then only the colours
// show where the line is.
func divide(planes [][]float32, width, height int, rng *rand.Rand) {
	var shift [3]float32
	for k := range shift {
		shift[k] = float32(maxShift * (2*rng.Float64() - 1))
	}
	if rng.Float64() < equalLuma {
		mean := (shift[0] + shift[1] + shift[2]) / 3
		for k := range shift {
			shift[k] -= mean
		}
	}
	x0, y0 := rng.Float64()*float64(width), rng.Float64()*float64(height)
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	for y := range height {
		for x := range width {
			beyond := (float64(x)-x0)*cos + (float64(y)-y0)*sin
			cover := float32(min(max(beyond+0.5, 0), 1))
			for k, p := range planes {
				i := y*width + x
				p[i] = min(max(p[i]+cover*shift[k], 0), 1)
			}
		}
	}
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
