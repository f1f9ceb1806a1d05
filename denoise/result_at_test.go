package denoise

import (
	"math"
	"testing"
)

func TestResultAt(t *testing.T) {
	curve := &Profile{Version: profileVersion, Kind: Curve, FullScale: 255, Channels: []ChannelNoise{
		{Points: []NoisePoint{{0, 2}, {100, 4}}}, {Points: []NoisePoint{{0, 2}, {100, 4}}},
		{Points: []NoisePoint{{50, 3}}}}}
	for name, c := range map[string]struct {
		r     Result
		level float64
		want  float64
		ok    bool
	}{
		"none":          {Result{Noise: None}, 0.5, 0, true},
		"white":         {Result{Noise: Gaussian, Sigma: 10}, 0.5, 10.0 / 255, true},
		"white, 16 bit": {Result{Noise: Gaussian, Sigma: 10}.inFile(65535), 3, 2570, true},
		"photons": {Result{Noise: Poisson, Photons: PhotonNoise{0.02, 0.1, 0.03}}, 0.6, math.Sqrt(0.01 + 0.0009),
			true},
		"below offset": {Result{Noise: Poisson, Photons: PhotonNoise{0.02, 0.1, 0.03}}.inFile(255), 20, 7.65, true},
		"channels": {Result{Noise: Poisson, Channels: [3]PhotonNoise{{Gain: 1}, {Gain: 2}, {ReadNoise: 3}}}, 4,
			math.Sqrt((4 + 8 + 9) / 3.0), true},
		"curve":        {curve.noise().result().inFile(255), 150, math.Sqrt((16 + 16 + 9) / 3.0), true},
		"curve of 0-1": {curve.noise().result(), 0, math.Sqrt((4+4+9)/3.0) / 255, true},
		"camera":       {Result{Noise: Camera, Sigma: 5}, 0.5, 0, false},
	} {
		got, ok := c.r.At(c.level)
		if ok != c.ok || math.Abs(got-c.want) > 1e-6*c.want {
			t.Errorf("%s: %g, %v, want %g, %v", name, got, ok, c.want, c.ok)
		}
	}
}
