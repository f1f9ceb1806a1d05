package denoise

import (
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// PhotonNoise is the noise of a detector that counts photons: a sample is Gain times a Poisson variable, plus Offset, plus
// Gaussian noise of standard deviation ReadNoise. All three are in the unit of the samples.
type PhotonNoise struct {
	Gain, Offset, ReadNoise float64
}

func (n PhotonNoise) validate() error {
	switch {
	case !(n.Gain > 0) || math.IsInf(n.Gain, 0):
		return fmt.Errorf("gain %g is not positive", n.Gain)
	case math.IsNaN(n.Offset) || math.IsInf(n.Offset, 0):
		return fmt.Errorf("offset %g is not a number", n.Offset)
	case !(n.ReadNoise >= 0) || math.IsInf(n.ReadNoise, 0):
		return fmt.Errorf("read noise %g is negative", n.ReadNoise)
	}
	return nil
}

// InUnitsOf returns the options with the photon noise, which is in the unit of the image's file, in that of its samples,
// whose full scale is 1. White is the full scale of float files; 0 means 1.
func (o Options) InUnitsOf(img *imageio.Image, white float64) Options {
	full := white
	switch {
	case img.Depth != imageio.DepthFloat32:
		full = float64(uint64(1)<<img.Depth - 1)
	case white == 0:
		full = 1
	}
	o.Photons.Gain /= full
	o.Photons.Offset /= full
	o.Photons.ReadNoise /= full
	return o
}

// stabilize is the generalised Anscombe transform 2 sqrt(p + 3/8 + r^2) of the number of photons p and the read noise r in
// photons: its noise has a standard deviation near 1 wherever there are two photons or more. J.-L. Starck, F. Murtagh,
// A. Bijaoui, "Image Processing and Data Analysis: The Multiscale Approach", Cambridge University Press, 1998.
func (n PhotonNoise) stabilize(v float64) float64 {
	r := n.ReadNoise / n.Gain
	return 2 * math.Sqrt(max(0, (v-n.Offset)/n.Gain+3.0/8+r*r))
}

// restore is the sample whose stabilized noisy versions have the mean d. It is not the algebraic inverse of stabilize,
// which would read low where there are few photons, but the exact unbiased one in the closed form of M. Makitalo, A. Foi,
// "Optimal inversion of the generalized Anscombe transformation for Poisson-Gaussian noise", IEEE Transactions on Image
// Processing 22(1), 2013.
func (n PhotonNoise) restore(d float64) float64 {
	none := 2 * math.Sqrt(3.0/8) // the mean for no photons: the formula is 0 there, and grows again below
	photons := 0.0
	if d > none {
		r, root := n.ReadNoise/n.Gain, math.Sqrt(3.0/2)
		photons = d*d/4 + root/(4*d) - 11/(8*d*d) + 5*root/(8*d*d*d) - 1.0/8 - r*r
	}
	return n.Gain*max(0, photons) + n.Offset
}

// stabilized is an image whose photon noise has become Gaussian noise of one level.
type stabilized struct {
	noise PhotonNoise
	scale float64     // of the stabilized samples, so that the image spans about 0 to 1, for which the models are chosen
	input [][]float32 // for blending, if the strength is below 1
	o     Options
}

// stabilize replaces the planes and returns their new level.
func stabilize(planes [][]float32, o Options) (stabilized, level) {
	s := stabilized{noise: o.Photons, o: o}
	if o.Strength < 1 {
		for _, p := range planes {
			s.input = append(s.input, slices.Clone(p))
		}
	}
	s.each(planes, func(v float32) float32 { return float32(o.Photons.stabilize(float64(v))) })
	s.scale = 1 / dynamicRange(planes)
	s.each(planes, func(v float32) float32 { return v * float32(s.scale) })
	return s, level{Poisson, s.scale, false}
}

// restore is the way back, and blends with the input.
func (s stabilized) restore(planes [][]float32) {
	s.each(planes, func(v float32) float32 { return float32(s.noise.restore(float64(v) / s.scale)) })
	for i, in := range s.input {
		for j, v := range in {
			planes[i][j] = v + float32(s.o.Strength)*(planes[i][j]-v)
		}
	}
}

func (s stabilized) each(planes [][]float32, f func(float32) float32) {
	for _, p := range planes {
		pieces(s.o.Workers, len(p), func(from, to int) {
			for i, v := range p[from:to] {
				p[from+i] = f(v)
			}
		})
	}
}

// dynamicRange is the range of the samples without the outermost hundredth, and at least the noise itself, which is 1.
func dynamicRange(planes [][]float32) float64 {
	const enough = 1 << 16
	var sample []float32
	for _, p := range planes {
		step := len(p)/enough | 1 // odd, so that it does not fall in with the width of the image
		for i := 0; i < len(p); i += step {
			sample = append(sample, p[i])
		}
	}
	if len(sample) == 0 {
		return 1
	}
	slices.Sort(sample)
	trim := len(sample) / 200
	return max(1, float64(sample[len(sample)-1-trim]-sample[trim]))
}
