package main

import (
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
)

// drawn returns a gray picture of side x side samples without noise, from 0 to 1. The same seed gives the same picture.
func drawn(seed uint64, side int) *camera.Picture {
	p := &painter{side: side, rng: rand.New(rand.NewPCG(seed, 1)), light: make([]float64, side*side)}
	p.structures()
	return p.exposed()
}

// structures draws about half of the kinds, and at least one.
func (p *painter) structures() {
	kinds := []func(){p.filaments, p.spots, p.nuclei, p.rods, p.membranes, p.regions}
	one := p.rng.IntN(len(kinds))
	for i, draw := range kinds {
		if i == one || p.rng.Float64() < 0.4 {
			draw()
		}
	}
}

// exposed returns the picture that a microscope takes of the structures. Samples are a power of the light, since noise
// is made equally strong at all brightnesses before it is removed, which bends the scale.
func (p *painter) exposed() *camera.Picture {
	optics := camera.LogBetween(p.rng, 0.6, 3) // standard deviation of the blur in samples
	picture := p.blurred(optics)
	near, far := p.blurred(4*optics), p.blurred(12*optics)
	haze := camera.Between(p.rng, 0, 1.5)
	nearShare, farShare := haze*p.rng.Float64(), haze*p.rng.Float64()
	background := p.background()
	brightest := 0.0
	for i, v := range picture {
		picture[i] = v + nearShare*near[i] + farShare*far[i]
		brightest = max(brightest, v)
	}
	strength := max(brightest, 0.1) * []float64{0, 0.05, 0.3, 1}[p.rng.IntN(4)]
	for i := range picture {
		picture[i] += strength * background[i]
	}
	return p.bent(picture)
}

// background is light that changes slowly over the picture, about 1.
func (p *painter) background() []float64 {
	across, down, round := 0.5*p.rng.NormFloat64(), 0.5*p.rng.NormFloat64(), 0.7*p.rng.NormFloat64()
	v := make([]float64, p.side*p.side)
	for i := range v {
		x, y := float64(i%p.side)/float64(p.side)-0.5, float64(i/p.side)/float64(p.side)-0.5
		v[i] = max(0.1, 1+across*x+down*y+round*(x*x+y*y))
	}
	return v
}

// bent takes a power of the light and gives it a random range within 0..1.
func (p *painter) bent(light []float64) *camera.Picture {
	most := 0.0
	for _, v := range light {
		most = max(most, v)
	}
	dark, power := most*camera.Between(p.rng, 0, 0.1), camera.Between(p.rng, 0.5, 1)
	low, high := math.Inf(1), math.Inf(-1)
	for i, v := range light {
		light[i] = math.Pow(v+dark, power)
		low, high = min(low, light[i]), max(high, light[i])
	}
	span := camera.LogBetween(p.rng, 0.3, 1)
	least := camera.Between(p.rng, 0, 1-span)
	out := camera.NewPicture(p.side, p.side, 1)
	for i, v := range light {
		out.Planes[0][i] = float32(least + span*(v-low)/max(high-low, 1e-9))
	}
	return out
}
