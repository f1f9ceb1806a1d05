package main

import (
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
)

// painter holds the light of a picture, row by row.
type painter struct {
	side  int
	rng   *rand.Rand
	light []float64
}

// point is a place in samples.
type point struct{ x, y float64 }

// somewhere returns a random place in the picture.
func (p *painter) somewhere() point {
	return point{camera.Between(p.rng, 0, float64(p.side)), camera.Between(p.rng, 0, float64(p.side))}
}

// some returns a random number of things, with small numbers as likely as large ones by their logarithm.
func (p *painter) some(least, most float64) int { return int(camera.LogBetween(p.rng, least, most)) }

// covered calls f for the samples that a shape covers, with the share of each. They are within reach of the centre.
// Distance returns how far a place is from the shape, and a negative number inside.
func (p *painter) covered(centre point, reach float64, distance func(at point) float64, f func(i int, share float64)) {
	left, right := max(0, int(centre.x-reach)-1), min(p.side-1, int(centre.x+reach)+1)
	top, bottom := max(0, int(centre.y-reach)-1), min(p.side-1, int(centre.y+reach)+1)
	for y := top; y <= bottom; y++ {
		for x := left; x <= right; x++ {
			if share := 0.5 - distance(point{float64(x), float64(y)}); share > 0 {
				f(y*p.side+x, min(1, share))
			}
		}
	}
}

// line covers what is within a radius of the line from a to b.
func (p *painter) line(a, b point, radius float64, f func(i int, share float64)) {
	dx, dy := b.x-a.x, b.y-a.y
	length := math.Hypot(dx, dy)
	p.covered(point{(a.x + b.x) / 2, (a.y + b.y) / 2}, length/2+radius, func(at point) float64 {
		along := 0.0
		if length > 0 {
			along = min(1, max(0, ((at.x-a.x)*dx+(at.y-a.y)*dy)/(length*length)))
		}
		return math.Hypot(at.x-a.x-along*dx, at.y-a.y-along*dy) - radius
	}, f)
}

// ellipse is one with random axes and a random direction.
type ellipse struct {
	centre                   point
	long, wide, sine, cosine float64
}

func (p *painter) ellipse(least, most float64) ellipse {
	sine, cosine := math.Sincos(camera.Between(p.rng, 0, math.Pi))
	return ellipse{p.somewhere(), camera.Between(p.rng, least, most), camera.Between(p.rng, least, most), sine, cosine}
}

// distance returns about how far a place is from the edge, and a negative number inside.
func (e ellipse) distance(at point) float64 {
	x, y := at.x-e.centre.x, at.y-e.centre.y
	r := math.Hypot((x*e.cosine+y*e.sine)/e.long, (y*e.cosine-x*e.sine)/e.wide)
	return (r - 1) * min(e.long, e.wide)
}

// fill covers an ellipse, and ring its edge, thick samples on both sides.
func (p *painter) fill(e ellipse, f func(i int, share float64)) {
	p.covered(e.centre, max(e.long, e.wide), e.distance, f)
}

func (p *painter) ring(e ellipse, thick float64, f func(i int, share float64)) {
	p.covered(e.centre, max(e.long, e.wide)+2*thick, func(at point) float64 { return math.Abs(e.distance(at)) - thick },
		f)
}

// texture is random and smooth, with mean 0 and standard deviation 1. Its details are about as large as the radius in
// samples.
func (p *painter) texture(radius float64) []float64 {
	v := make([]float64, p.side*p.side)
	for i := range v {
		v[i] = p.rng.NormFloat64()
	}
	v = blur(v, p.side, radius)
	sum, squares := 0.0, 0.0
	for _, x := range v {
		sum, squares = sum+x, squares+x*x
	}
	n := float64(len(v))
	mean := sum / n
	deviation := math.Sqrt(max(squares/n-mean*mean, 1e-12))
	for i := range v {
		v[i] = (v[i] - mean) / deviation
	}
	return v
}

// blurred returns the light through a Gaussian.
func (p *painter) blurred(radius float64) []float64 { return blur(p.light, p.side, radius) }

func blur(v []float64, side int, radius float64) []float64 {
	q := camera.NewPicture(side, side, 1)
	for i, x := range v {
		q.Planes[0][i] = float32(x)
	}
	q = camera.Blur(q, radius)
	out := make([]float64, len(v))
	for i, x := range q.Planes[0] {
		out[i] = float64(x)
	}
	return out
}
