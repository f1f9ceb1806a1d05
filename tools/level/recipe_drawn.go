package main

import (
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
)

// minDrawn bounds the sides of drawn pictures from below, in samples.
const minDrawn = 72

// drawnPicture draws slopes, shapes, stripes, squares and lines, with sharp edges or soft ones. They have few places
// that are alike, and no texture. They have white noise, that of a JPEG file, both, or grain.
func drawnPicture(r recipe, rng *rand.Rand) pair {
	planes := 3
	if r.Gray {
		planes = 1
	}
	side := func() int { return int(camera.LogBetween(rng, minDrawn, pictureSide)) }
	p := camera.NewPicture(side(), side(), planes)
	slope(p, rng)
	for range 1 + rng.IntN(24) {
		shape(p, rng)
	}
	if rng.IntN(2) == 0 {
		p = camera.Blur(p, camera.Between(rng, 0.3, 0.8))
	}
	p = p.Quantise()
	switch rng.IntN(4) {
	case 0:
		return pair{noisy: p, clean: p, bits: 8}.compress(20+rng.IntN(76), rng.IntN(3) > 0)
	case 1:
		return compressed(p, rng)
	case 2:
		return grain(p, rng)
	}
	return white(p, rng)
}

// slope fills a picture with colours that change evenly from one side to the other.
func slope(p *camera.Picture, rng *rand.Rand) {
	for _, plane := range p.Planes {
		from, byX, byY := camera.Between(rng, 0.1, 0.9), camera.Between(rng, -0.4, 0.4), camera.Between(rng, -0.4, 0.4)
		for i := range plane {
			x, y := float64(i%p.Width)/float64(p.Width), float64(i/p.Width)/float64(p.Height)
			plane[i] = float32(min(max(from+byX*(x-0.5)+byY*(y-0.5), 0), 1))
		}
	}
}

// form is what a shape is.
type form int

const (
	ellipse form = iota
	rectangle
	line
	stripes
	squares
	forms
)

// shape draws a form of one colour into a part of a picture. Half of the ellipses and rectangles have an outline.
func shape(p *camera.Picture, rng *rand.Rand) {
	f := form(rng.IntN(int(forms)))
	size := camera.Between(rng, 0.1, 0.7) * float64(max(p.Width, p.Height))
	cx, cy := rng.Float64()*float64(p.Width), rng.Float64()*float64(p.Height)
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	tall, period := camera.Between(rng, 0.3, 1)*size, camera.LogBetween(rng, 4, 50)
	if rng.IntN(2) == 0 { // upright
		sin, cos = 0, 1
	}
	if f == line {
		tall = camera.LogBetween(rng, 1, 6)
	}
	pen := 0.0
	if (f == ellipse || f == rectangle) && rng.IntN(2) == 0 {
		pen = camera.Between(rng, 1, 4)
	}
	for _, plane := range p.Planes {
		fill, outline := rng.Float32(), rng.Float32()
		for i := range plane {
			dx, dy := float64(i%p.Width)-cx, float64(i/p.Width)-cy
			u, v := cos*dx+sin*dy, cos*dy-sin*dx
			switch {
			case f.has(u, v, size, tall, period):
				plane[i] = fill
			case pen > 0 && f.has(u, v, size+2*pen, tall+2*pen, period):
				plane[i] = outline
			}
		}
	}
}

// has reports whether a form of a size around the origin holds a place.
func (f form) has(u, v, wide, tall, period float64) bool {
	x, y := 2*u/wide, 2*v/tall
	inside := max(math.Abs(x), math.Abs(y)) < 1
	switch f {
	case ellipse:
		return x*x+y*y < 1
	case stripes:
		return inside && odd(u, period)
	case squares:
		return inside && odd(u, period) != odd(v, period)
	}
	return inside
}

// odd reports whether a position is in every second strip of a length.
func odd(at, length float64) bool { return int(math.Floor(at/length))&1 == 1 }
