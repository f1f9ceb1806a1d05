package main

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
)

// filaments are curved lines of one thickness: microtubules, or mitochondria if they are short. They may be in some
// regions only.
func (p *painter) filaments() {
	radius := camera.Between(p.rng, 0.5, 2.5)
	where := p.texture(camera.Between(p.rng, 15, 40))
	everywhere := p.rng.Float64() < 0.4
	bright := p.texture(6)
	for range p.some(10, 200) {
		at, level := p.somewhere(), camera.Between(p.rng, 0.3, 1)
		if everywhere || where[min(int(at.y), p.side-1)*p.side+min(int(at.x), p.side-1)] > 0 {
			p.filament(at, p.rng.IntN(75)+5, func(a, b point) {
				p.line(a, b, radius, func(i int, share float64) {
					p.light[i] = max(p.light[i],
						level*share*max(0, 1+0.3*bright[i]))
				})
			})
		}
	}
}

// filament calls draw for the steps of a walk whose direction changes smoothly.
func (p *painter) filament(at point, steps int, draw func(a, b point)) {
	direction, bend := camera.Between(p.rng, 0, 2*math.Pi), 0.04*p.rng.NormFloat64()
	for range steps {
		bend = 0.95*bend + 0.03*p.rng.NormFloat64()
		direction += bend
		sine, cosine := math.Sincos(direction)
		next := point{at.x + 1.5*cosine, at.y + 1.5*sine}
		draw(at, next)
		at = next
	}
}

// spots are small and round: vesicles, or single molecules.
func (p *painter) spots() {
	for range p.some(5, 300) {
		at, level := p.somewhere(), camera.Between(p.rng, 0.3, 2)
		p.line(at, at, camera.Between(p.rng, 0.5, 2.5), func(i int, share float64) { p.light[i] += level * share })
	}
}

// nuclei are filled ellipses with a texture, with brighter or darker spots inside.
func (p *painter) nuclei() {
	for range p.rng.IntN(9) + 1 {
		e, level, contrast := p.ellipse(8, 50), camera.Between(p.rng, 0.2, 0.8), camera.Between(p.rng, 0, 0.4)
		grain := p.texture(camera.Between(p.rng, 2, 8))
		p.fill(e, func(i int, share float64) { p.light[i] += level * share * max(0, 1+contrast*grain[i]) })
		for range p.rng.IntN(6) {
			inner, change := p.ellipse(2, 5), camera.Between(p.rng, -0.3, 0.6)
			inner.centre = point{e.centre.x + e.long*camera.Between(p.rng, -0.5, 0.5),
				e.centre.y + e.wide*camera.Between(p.rng, -0.5, 0.5)}
			p.fill(inner, func(i int, share float64) { p.light[i] = max(0, p.light[i]+change*share) })
		}
	}
}

// rods are straight with round ends: bacteria.
func (p *painter) rods() {
	grain, contrast := p.texture(3), camera.Between(p.rng, 0, 0.4)
	for range p.some(5, 120) {
		at, half := p.somewhere(), camera.Between(p.rng, 2.5, 13)
		sine, cosine := math.Sincos(camera.Between(p.rng, 0, math.Pi))
		level := camera.Between(p.rng, 0.3, 1)
		a, b := point{at.x - half*cosine, at.y - half*sine}, point{at.x + half*cosine, at.y + half*sine}
		p.line(a, b, camera.Between(p.rng, 1.5, 4), func(i int, share float64) {
			p.light[i] += level * share * max(0,
				1+contrast*grain[i])
		})
	}
}

// membranes are thin rings.
func (p *painter) membranes() {
	grain := p.texture(5)
	for range p.rng.IntN(18) + 2 {
		level := camera.Between(p.rng, 0.2, 1)
		p.ring(p.ellipse(10, 60), camera.Between(p.rng, 0.5, 1),
			func(i int, share float64) { p.light[i] += level * share * max(0, 1+0.3*grain[i]) })
	}
}

// regions are large and have soft edges: the bodies of cells.
func (p *painter) regions() {
	shape, limit := p.texture(camera.Between(p.rng, 20, 60)), camera.Between(p.rng, -0.5, 1)
	inside := make([]float64, len(shape))
	for i, v := range shape {
		if v > limit {
			inside[i] = 1
		}
	}
	inside = blur(inside, p.side, camera.Between(p.rng, 0.5, 3))
	grain, contrast := p.texture(camera.Between(p.rng, 3, 12)), camera.Between(p.rng, 0, 0.3)
	level := camera.Between(p.rng, 0.1, 0.5)
	for i, v := range inside {
		p.light[i] += level * v * max(0, 1+contrast*grain[i])
	}
}
