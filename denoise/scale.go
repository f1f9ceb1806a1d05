package denoise

import (
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Tiny floats are denoised on a scale near 1: their squares are below the range of float32. The scale is a power of
// two, so that it changes no digit.

// tinyExponent is the exponent below which all samples of an image are tiny.
const tinyExponent = -12

// scaleOf returns the scale of an image: 1 unless all of its samples are tiny.
func scaleOf(img *imageio.Image) float64 {
	if img.Depth.Max() > 0 { // integers
		return 1
	}
	largest := float32(0)
	for _, p := range slices.Concat(img.Planes, img.Extra) {
		for _, v := range p {
			if v < 0 {
				v = -v
			}
			if v > largest && v-v == 0 {
				largest = v
			}
		}
	}
	_, exponent := math.Frexp(float64(largest))
	if largest == 0 || exponent >= tinyExponent {
		return 1
	}
	return math.Ldexp(1, exponent)
}

// multiply multiplies the samples of planes. It takes no context: half of the samples on another scale would be wrong.
func multiply(planes [][]float32, by float64, workers int) {
	if by == 1 {
		return
	}
	for _, p := range planes {
		pool{workers: workers}.pieces(len(p), func(from, to int) {
			for i, v := range p[from:to] {
				p[from+i] = float32(float64(v) * by)
			}
		})
	}
}

// atScale returns the job for samples that were divided by a scale.
func (j job) atScale(scale float64) job {
	if scale == 1 {
		return j
	}
	j.Sigma /= scale
	j.Photons = j.Photons.over(scale)
	j.Profile = j.Profile.over(scale)
	return j
}

// over returns the profile for samples that were divided by a number.
func (p *Profile) over(scale float64) *Profile {
	if p == nil {
		return nil
	}
	q := *p
	q.FullScale *= scale
	return &q
}

// atScale returns the result in the unit of samples that were divided by a scale.
func (r Result) atScale(scale float64) Result {
	r.Sigma, r.SigmaChroma = r.Sigma*scale, r.SigmaChroma*scale
	r.profile = r.profile.over(1 / scale)
	full := r.Full
	r = r.inFile(scale)
	r.Full = full
	return r
}
