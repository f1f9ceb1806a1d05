package main

import (
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Noise comes into all channels of a picture with more than red, green and blue, as of a microscope. Alpha stays.
func TestNoiseOfAllChannels(t *testing.T) {
	const size = 64
	plane := func() []float32 {
		p := make([]float32, size*size)
		for i := range p {
			p[i] = 0.5
		}
		return p
	}
	img := &imageio.Image{Width: size, Height: size, Planes: [][]float32{plane()}, Extra: [][]float32{plane(), plane()},
		Alpha: plane(), Depth: imageio.Depth8}
	for name, f := range map[string]noiseAddFlags{
		"white":   {sigma: 25.5},
		"photons": {poisson: true, photons: denoise.PhotonNoise{Gain: 255 * 0.02}},
	} {
		f.read.White = 1
		noisy := f.noisy(img, "a")
		for i, p := range append(noisy.Planes, noisy.Extra...) {
			sum := 0.0
			for _, v := range p {
				sum += math.Pow(float64(v)-0.5, 2)
			}
			if got := math.Sqrt(sum / (size * size)); math.Abs(got-0.1) > 0.01 {
				t.Errorf("%s: noise of %.3f in channel %d, want 0.1", name, got, i)
			}
		}
		if noisy.Alpha[7] != 0.5 || img.Extra[0][7] != 0.5 {
			t.Errorf("%s: alpha or the image itself has changed", name)
		}
	}
}
