package main

import (
	"math/rand/v2"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
)

// real is a real pair after what people do to photographs. The quantisation steps of its own file are left out: all
// files of the set have the same ones, and networks would know the set by them.
func real(noisy, clean *camera.Picture, n int, rng *rand.Rand) pair {
	x, y := rng.IntN(noisy.Width-pictureSide+1), rng.IntN(noisy.Height-pictureSide+1)
	if n%8 != 1 {
		noisy, clean = crop(noisy, x, y, pictureSide, pictureSide), crop(clean, x, y, pictureSide, pictureSide)
	}
	both := func(f func(p *camera.Picture) *camera.Picture) {
		noisy, clean = f(noisy).Quantise(), f(clean).Quantise()
	}
	soft := rng.IntN(2) == 0
	switch n % 8 {
	case 1: // smaller
		factor := camera.Between(rng, 0.45, 0.8)
		both(func(p *camera.Picture) *camera.Picture { return camera.Resize(p, factor, soft) })
	case 2: // larger
		factor := camera.Between(rng, 1.25, 2)
		both(func(p *camera.Picture) *camera.Picture { return centre(camera.Resize(p, factor, soft), pictureSide) })
	case 3: // brighter
		gain := camera.Between(rng, 1.3, 2.2)
		both(func(p *camera.Picture) *camera.Picture { p.Each(func(v float64) float64 { return gain * v }); return p })
	case 4:
		radius, amount := camera.Between(rng, 0.6, 1.6), camera.Between(rng, 0.4, 1.4)
		both(func(p *camera.Picture) *camera.Picture { return camera.Sharpen(p, radius, amount) })
	case 5: // compressed again
		return pair{noisy: noisy, clean: clean, bits: 8}.compress(60+rng.IntN(35), rng.IntN(3) > 0)
	case 6: // smaller and compressed again
		factor := camera.Between(rng, 0.6, 1)
		both(func(p *camera.Picture) *camera.Picture { return camera.Resize(p, factor, soft) })
		return pair{noisy: noisy, clean: clean, bits: 8}.compress(60+rng.IntN(39), rng.IntN(3) > 0)
	case 7: // darker, which weakens the noise
		gain := camera.Between(rng, 0.3, 0.8)
		both(func(p *camera.Picture) *camera.Picture { p.Each(func(v float64) float64 { return gain * v }); return p })
	}
	return pair{noisy: noisy, clean: clean, bits: 8}
}

// moved adds the noise of a real pair, the difference of its two pictures, to another picture.
func (g *generator) moved(p *camera.Picture, rng *rand.Rand) (pair, error) {
	file := g.real[rng.IntN(len(g.real))]
	noisy, err := g.load(file)
	if err != nil {
		return pair{}, err
	}
	clean, err := g.load(strings.Replace(file, "_real", "_mean", 1))
	if err != nil {
		return pair{}, err
	}
	x, y := rng.IntN(noisy.Width-p.Width+1), rng.IntN(noisy.Height-p.Height+1)
	noisy, clean = crop(noisy, x, y, p.Width, p.Height), crop(clean, x, y, p.Width, p.Height)
	if len(p.Planes) == 1 {
		noisy, clean = noisy.Gray(), clean.Gray()
	}
	gain := float32(camera.LogBetween(rng, 0.5, 2.5))
	for c, plane := range noisy.Planes {
		for i := range plane {
			plane[i] = p.Planes[c][i] + gain*(plane[i]-clean.Planes[c][i])
		}
	}
	noisy.Quantise()
	soft, factor := rng.IntN(2) == 0, camera.Between(rng, 0.5, 1.6)
	if rng.IntN(2) == 0 {
		noisy, p = centre(camera.Resize(noisy, factor, soft).Quantise(), pictureSide),
			centre(camera.Resize(p, factor, soft).Quantise(), pictureSide)
	}
	made := pair{noisy: noisy, clean: p, bits: 8, source: file}
	if rng.IntN(2) == 0 {
		made = made.compress(60+rng.IntN(39), rng.IntN(3) > 0)
	}
	return made, nil
}
