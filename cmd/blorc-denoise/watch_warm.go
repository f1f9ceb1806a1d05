package main

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
	"github.com/blorc-denoise/blorc-denoise/models"
)

// warm runs all models that a file may need on tiny images. Reading a model and preparing its solvers takes longer than a small
// file, so this is done before the first file comes. Errors are ignored here; the jobs report them.
func warm(o denoise.Options) {
	o.Workers = 1 // the jobs come first
	for _, one := range warmups(o) {
		for _, planes := range [][][]float32{noisyPlanes(1, 48), noisyPlanes(3, 48)} {
			denoise.Planes(context.Background(), planes, 48, 48, one)
		}
	}
}

// warmups returns the options with each noise level that may be found.
func warmups(o denoise.Options) []denoise.Options {
	all := []denoise.Options{}
	add := func(n denoise.Noise, sigma float64) {
		one := o
		one.Noise, one.Sigma, one.Strength = n, sigma, 1
		all = append(all, one)
	}
	switch family, ok := o.Models.(models.Family); {
	case o.Noise == denoise.Camera:
	case o.Sigma >= 0:
		add(denoise.Gaussian, o.Sigma)
	case ok:
		for _, e := range family {
			add(denoise.Gaussian, e.Sigma)
		}
	default: // one model for all levels
		add(denoise.Gaussian, 25)
	}
	if o.Noise == denoise.Camera || o.Noise == denoise.Auto && o.Camera != nil && o.Sigma < 0 {
		add(denoise.Camera, denoise.EstimateSigma)
	}
	return all
}

// noisyPlanes returns n planes of noise of side x side samples.
func noisyPlanes(n, side int) [][]float32 {
	planes := make([][]float32, n)
	for i := range planes {
		planes[i] = make([]float32, side*side)
		noise.AddGaussian(planes[i], planes[i], 0.1, noise.Source(1, string(rune('a'+i))))
	}
	return planes
}
