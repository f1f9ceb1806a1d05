package main

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/noise"
)

// warm runs all models that a file may need on tiny images. Reading a model and preparing its solvers takes longer than
// denoising a small file, so this is done before the first file comes. Errors are ignored here: the jobs report them.
func warm(o denoise.Options, workers int) {
	o.Workers = workers
	for _, one := range warmups(o) {
		for _, planes := range [][][]float32{noisyPlanes(1, 48), noisyPlanes(3, 48)} {
			denoise.Planes(context.Background(), planes, 48, 48, one)
		}
	}
}

// warmups returns the options for each noise level that may be found.
func warmups(o denoise.Options) []denoise.Options {
	var all []denoise.Options
	add := func(n denoise.Noise, sigma float64) {
		one := o
		one.Noise, one.Sigma, one.Photons, one.Keep = n, sigma, denoise.PhotonNoise{}, 0
		if one.Check() == nil {
			all = append(all, one)
		}
	}
	switch {
	case o.Noise == denoise.None || o.Noise == denoise.Camera:
	case o.Sigma > 0:
		add(denoise.Gaussian, o.Sigma)
	default:
		for _, sigma := range o.Models.Levels() {
			add(denoise.Gaussian, sigma)
		}
	}
	if o.Noise == denoise.Camera || o.Noise == denoise.Auto && o.Sigma == 0 {
		add(denoise.Camera, 0)
	}
	return all
}

// noisyPlanes returns n planes of side x side samples: a ramp over the full range, with noise.
func noisyPlanes(n, side int) [][]float32 {
	planes := make([][]float32, n)
	for i := range planes {
		planes[i] = make([]float32, side*side)
		for j := range planes[i] {
			planes[i][j] = float32(j%side) / float32(side-1)
		}
		noise.AddGaussian(planes[i], planes[i], 0.1, noise.Source(1, string(rune('a'+i))))
	}
	return planes
}
