package main

import (
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// The page says what was told of the noise, not that it was found.
func TestEvalPageTellsTheNoiseThatWasGiven(t *testing.T) {
	options := func(n denoise.Noise) denoise.Options { return denoise.Options{Noise: n} }
	photons := denoise.Options{Noise: denoise.Poisson, Photons: denoise.PhotonNoise{Gain: 3, Offset: 2.5}}
	for want, solver := range map[string]solverFlags{
		"found in each image":                       {sigma: autoSigma},
		"sigma 20 of 0-255":                         {sigma: 20},
		"camera, sigma 20 of 0-255":                 {sigma: 20, Options: options(denoise.Camera)},
		"camera, found in each image":               {sigma: autoSigma, Options: options(denoise.Camera)},
		"profile a.json":                            {sigma: autoSigma, profile: "a.json"},
		"none":                                      {sigma: autoSigma, Options: options(denoise.None)},
		"poisson, gain 3, offset 2.5, read noise 0": {sigma: autoSigma, Options: photons},
	} {
		f := evalFlags{solver: solver}
		if got := f.noiseGiven(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
