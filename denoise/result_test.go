package denoise

import "testing"

func TestResultSaysWhatWasFound(t *testing.T) {
	for want, r := range map[string]Result{
		"no noise":                {Noise: None},
		"white noise, sigma 12.3": {Noise: Gaussian, Sigma: 12.34},
		"white noise, sigma 12.0 (3084 in the file)":  {Noise: Gaussian, Sigma: 12, Full: 65535},
		"white noise, sigma 0.016 (4.11 in the file)": {Noise: Gaussian, Sigma: 0.016, Full: 65535, Model: "m"},
		// measured only
		"white noise, sigma 0.02 (5.14 in the file)": {Noise: Gaussian, Sigma: 0.02, Full: 65535},
		"camera noise, level 0.02":                   {Noise: Camera, Sigma: 0.02},
		"photon noise, gain 4.16e-12, offset 0, read noise 1.5e+10": {Noise: Poisson,
			Photons: PhotonNoise{4.16e-12, 0, 1.5e10}},
		"white noise, sigma 765.0 (3 in the file)": {Noise: Gaussian, Sigma: 765, Full: 1},
		"white noise, sigma 5.0":                   {Noise: Gaussian, Sigma: 5, Full: 255},
		"camera noise, level 8.0":                  {Noise: Camera, Sigma: 8},
		"photon noise, gain 2.1, offset 100, read noise 0": {Noise: Poisson,
			Photons: PhotonNoise{2.1, 100, 0}},
		"photon noise, gain 0.00123, offset -5.68, read noise 1461": {Noise: Poisson,
			Photons: PhotonNoise{0.001234, -5.678, 1461.2}},
		"photon noise, gain 1234567, offset 0.1, read noise 0.0000123": {Noise: Poisson,
			Photons: PhotonNoise{1234567, 0.1, 1.23e-5}},
		"photon noise, gain 1/2/3, offset 5, read noise 0": {Noise: Poisson, Photons: PhotonNoise{2, 5, 0},
			Channels: [3]PhotonNoise{{1, 5, 0}, {2, 5, 0}, {3, 5, 0}}},
		"white noise, sigma 9.0, 0.62 to 1.8 times that by place": {Noise: Gaussian, Sigma: 9, Full: 255,
			Places: [2]float64{0.62, 1.76}},
		"noise of a curve, sigma 1.5 to 22": {Noise: Curve, Range: [2]float64{1.5, 22}},
	} {
		if got := r.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
