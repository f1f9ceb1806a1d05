package main

import (
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
)

// minDrawn bounds the sides of drawn pictures from below, in samples.
const minDrawn = 72

// drawnPicture draws slopes, shapes, stripes and squares, and adds white noise. They have few places that are alike,
// and no texture.
func drawnPicture(r recipe, rng *rand.Rand) pair {
	planes := 3
	if r.Gray {
		planes = 1
	}
	side := func() int { return int(camera.LogBetween(rng, minDrawn, pictureSide)) }
	p := camera.NewPicture(side(), side(), planes)
	slope(p, rng)
	for range 1 + rng.IntN(12) {
		shape(p, rng)
	}
	return white(p.Quantise(), rng)
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

// shape draws an ellipse, a rectangle, stripes or squares of one colour into a part of a picture.
func shape(p *camera.Picture, rng *rand.Rand) {
	kind := rng.IntN(4)
	size := camera.Between(rng, 0.1, 0.7) * float64(max(p.Width, p.Height))
	cx, cy := rng.Float64()*float64(p.Width), rng.Float64()*float64(p.Height)
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	flat, period := camera.Between(rng, 0.3, 1), camera.LogBetween(rng, 4, 50)
	if rng.IntN(2) == 0 { // upright
		sin, cos = 0, 1
	}
	colours := make([]float32, len(p.Planes))
	for c := range colours {
		colours[c] = rng.Float32()
	}
	for i := range p.Planes[0] {
		dx, dy := float64(i%p.Width)-cx, float64(i/p.Width)-cy
		u, v := cos*dx+sin*dy, (cos*dy-sin*dx)/flat
		inside := max(math.Abs(u), math.Abs(v)) < size/2
		switch kind {
		case 0:
			inside = u*u+v*v < size*size/4
		case 1:
			inside = inside && odd(u, period)
		case 2:
			inside = inside && odd(u, period) != odd(v, period)
		}
		if !inside {
			continue
		}
		for c, plane := range p.Planes {
			plane[i] = colours[c]
		}
	}
}

// odd reports whether a position is in every second strip of a length.
func odd(at, length float64) bool { return int(math.Floor(at/length))&1 == 1 }
