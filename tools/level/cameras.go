package main

import (
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
)

// smoothMore draws again what makes noise broad: cameras at high sensitivity smooth strong noise.
func smoothMore(c *camera.Camera, r *rand.Rand) {
	c.Photons = camera.LogBetween(r, 80, 4000)
	c.Luma, c.Chroma = camera.Between(r, 0.6, 1.5), camera.Between(r, 1, 4)
	c.Scale = 1
	if r.IntN(2) == 0 {
		c.Quality = 0
	}
}

// reduceColour draws again what takes most of the noise out of colours and leaves it in brightness, as cameras do that
// keep detail.
func reduceColour(c *camera.Camera, r *rand.Rand) {
	c.Photons = camera.LogBetween(r, 150, 8000)
	c.Luma, c.Chroma, c.Fade = camera.Between(r, 0.3, 1), camera.Between(r, 1.2, 4), camera.Between(r, 0.3, 0.9)
	c.Scale, c.SigmaFilter = 1, 0
	if c.Quality = 0; r.IntN(2) == 0 {
		c.Quality = 80 + r.IntN(19)
	}
}

// darken draws again what a small sensor has at night: strong noise, which a phone smooths or leaves as it is.
func darken(c *camera.Camera, r *rand.Rand) {
	c.Photons, c.Read = camera.LogBetween(r, 12, 600), camera.LogBetween(r, 0.002, 0.04)
	c.Scale, c.SigmaFilter, c.Contrast = 1, 0, 0
	switch r.IntN(3) {
	case 0:
		c.Luma, c.Chroma, c.SharpAmount, c.Quality = 0, 0, 0, 0
	case 1:
		c.Luma, c.Quality = camera.Between(r, 0.3, 1.2), 80+r.IntN(19)
	}
}

// shoot photographs a clean colour picture with and without noise, in 8 bits. Compression is part of the noise.
func shoot(c camera.Camera, p *camera.Picture, r *rand.Rand) (noisy, clean *camera.Picture) {
	noisy, clean = c.Develop(p, r)
	noisy.Quantise()
	clean.Quantise()
	if c.Quality > 0 {
		noisy = camera.JPEG(noisy, c.Quality, c.Half)
	}
	return noisy, clean
}
