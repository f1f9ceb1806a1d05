package denoise

import (
	"context"
	"math"
	"slices"
)

// PhotonNoise is the noise of a detector that counts photons: a sample is Gain times a Poisson variable, plus Offset, plus
// Gaussian noise of standard deviation ReadNoise. All three are in the unit of the samples.
type PhotonNoise struct {
	Gain      float64 `json:"gain"`       // levels for each photon
	Offset    float64 `json:"offset"`     // level without any photon
	ReadNoise float64 `json:"read_noise"` // standard deviation in levels
}

func (n PhotonNoise) check() error {
	switch {
	case !(n.Gain > 0) || !isFinite(n.Gain):
		return badArgument("gain %g is not positive", n.Gain)
	case !isFinite(n.Offset):
		return badArgument("offset %g is not a number", n.Offset)
	case !(n.ReadNoise >= 0) || !isFinite(n.ReadNoise):
		return badArgument("read noise %g is negative", n.ReadNoise)
	}
	return nil
}

// over returns the noise in units of full scale, which is given in the unit of n.
func (n PhotonNoise) over(full float64) PhotonNoise {
	n.Gain /= full
	n.Offset /= full
	n.ReadNoise /= full
	return n
}

// photonNoise is photon noise that was given.
type photonNoise struct{ PhotonNoise }

func (n photonNoise) result() Result { return Result{Noise: Poisson} }

// remove makes the noise Gaussian, denoises the image, and undoes the transform. The blend with the input comes last.
func (n photonNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	s := stabilize(img.planes, n.PhotonNoise, o)
	o.Keep, o.KeepLuma, o.KeepChroma = 0, 0, 0
	name, err := gaussianNoise{sigma: s.scale}.remove(ctx, img, o)
	if err != nil {
		return "", err
	}
	s.restore(img.planes)
	return name, nil
}

// stabilize is the generalised Anscombe transform 2 sqrt(p + 3/8 + r^2) of a sample, with p its number of photons and r the read
// noise in photons. The noise of the result has a standard deviation near 1 wherever there are two photons or more. J.-L. Starck, F. Murtagh,
// A. Bijaoui, "Image Processing and Data Analysis: The Multiscale Approach", Cambridge University Press, 1998.
func (n PhotonNoise) stabilize(v float64) float64 {
	r := n.ReadNoise / n.Gain
	return 2 * math.Sqrt(max(0, (v-n.Offset)/n.Gain+3.0/8+r*r))
}

// restore returns the sample whose stabilized noisy versions have the mean d. It is not the algebraic inverse of stabilize,
// which is too small where there are few photons, but the exact unbiased inverse in the closed form of M. Makitalo, A. Foi,
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
	scale float64     // brings the samples to a range of about 1, for which models are chosen; then it is the noise level
	input [][]float32 // for the blend; nil if the input has no share in the result
	o     Options
}

// stabilize replaces the samples of the planes.
func stabilize(planes [][]float32, n PhotonNoise, o Options) stabilized {
	s := stabilized{noise: n, o: o}
	if o.strength(0) < 1 || o.strength(1) < 1 {
		for _, p := range planes {
			s.input = append(s.input, slices.Clone(p))
		}
	}
	s.each(planes, func(v float32) float32 { return float32(n.stabilize(float64(v))) })
	s.scale = 1 / dynamicRange(planes)
	s.each(planes, func(v float32) float32 { return v * float32(s.scale) })
	return s
}

// restore undoes stabilize and blends with the input.
func (s stabilized) restore(planes [][]float32) {
	s.each(planes, func(v float32) float32 { return float32(s.noise.restore(float64(v) / s.scale)) })
	if s.input != nil {
		blend(planes, s.input, s.o)
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

// dynamicRange is the range of the samples without the lowest and the highest half percent, and at least the noise level, 1.
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
