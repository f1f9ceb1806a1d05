package main

import (
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// The page says what was told of the noise, not that it was found.
func TestEvalPageTellsTheNoiseThatWasGiven(t *testing.T) {
	for want, f := range map[string]evalFlags{
		"found in each image": {sigma: autoSigma},
		"sigma 20 of 0-255":   {sigma: 20},
		"camera, sigma 20 of 0-255": {sigma: 20,
			solver: solverFlags{Options: denoise.Options{Noise: denoise.Camera}}},
		"camera, found in each image": {sigma: autoSigma,
			solver: solverFlags{Options: denoise.Options{Noise: denoise.Camera}}},
		"profile a.json": {sigma: autoSigma, solver: solverFlags{profile: "a.json"}},
		"none": {sigma: autoSigma,
			solver: solverFlags{Options: denoise.Options{Noise: denoise.None}}},
		"poisson, gain 3, offset 2.5, read noise 0": {sigma: autoSigma,
			solver: solverFlags{Options: denoise.Options{Noise: denoise.Poisson,
				Photons: denoise.PhotonNoise{Gain: 3, Offset: 2.5}}}},
	} {
		if got := f.noiseGiven(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
