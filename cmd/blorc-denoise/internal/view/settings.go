package view

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// settings are what the page can choose, in the words of the command line.
type settings struct {
	Noise     denoise.Noise   `json:"noise"`
	Sigma     float64         `json:"sigma"` // 0 = found
	Gain      float64         `json:"gain"`  // 0 = found
	Offset    float64         `json:"offset"`
	ReadNoise float64         `json:"read_noise"`
	Quality   denoise.Quality `json:"quality"`

	Strength float64 `json:"strength"`
	Luma     float64 `json:"luma"`
	Chroma   float64 `json:"chroma"`
	Grain    float64 `json:"grain"`
}

func settingsOf(o denoise.Options) settings {
	if o.Noise == denoise.Auto && o.Sigma > 0 {
		o.Noise = denoise.Gaussian
	}
	return settings{
		Noise: o.Noise, Sigma: o.Sigma, Gain: o.Photons.Gain, Offset: o.Photons.Offset, ReadNoise: o.Photons.ReadNoise,
		Quality:  o.Quality,
		Strength: 1 - o.Keep, Luma: 1 - o.KeepLuma, Chroma: 1 - o.KeepChroma, Grain: o.Grain,
	}
}

// options returns the options of the settings. What the page cannot choose, such as models, comes from base. Numbers
// that another kind of noise would need are left out.
func (s settings) options(base denoise.Options) (denoise.Options, error) {
	o := base
	o.Noise, o.Quality, o.Sigma, o.Photons = s.Noise, s.Quality, 0, denoise.PhotonNoise{}
	if s.hasSigma() {
		o.Sigma = s.Sigma
	}
	if s.Noise != denoise.Auto {
		o.Profile = nil // it would say all of the noise
	}
	if s.Noise == denoise.Poisson && s.Gain != 0 {
		o.Photons = denoise.PhotonNoise{Gain: s.Gain, Offset: s.Offset, ReadNoise: s.ReadNoise}
	}
	o.Keep, o.KeepLuma, o.KeepChroma, o.Grain = keep(s.Strength), keep(s.Luma), keep(s.Chroma), s.Grain
	return o, o.Check()
}

// hasSigma reports whether the noise has a single level that can be given.
func (s settings) hasSigma() bool { return s.Noise == denoise.Gaussian || s.Noise == denoise.Camera }

// keep returns the share of the noise that a strength keeps, without the last digits that 1-0.9 would have.
func keep(strength float64) float64 { return math.Round((1-strength)*1e6) / 1e6 }

// run returns the settings that need a new run.
func (s settings) run() settings {
	s.Strength, s.Luma, s.Chroma, s.Grain = 1, 1, 1, 0
	if !s.hasSigma() {
		s.Sigma = 0
	}
	if s.Noise != denoise.Poisson || s.Gain == 0 {
		s.Gain, s.Offset, s.ReadNoise = 0, 0, 0
	}
	return s
}
