package denoise

import (
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Floats of any size are denoised on a scale near 1: squares of very small or very large samples leave the range of
// float32. The scale is a power of two, so that it changes no digit.

// usualExponent is the largest distance from 0 of exponents of images that stay as they are.
const usualExponent = 12

// scaleOf returns the scale of an image: that of most of its samples, whatever a few of them are.
func scaleOf(img *imageio.Image) float64 {
	if img.Depth.Max() > 0 { // integers
		return 1
	}
	span, low := dynamicRange(img.Planes)
	_, usual := math.Frexp(max(math.Abs(low), math.Abs(low+span)))
	_, largest := math.Frexp(largestOf(slices.Concat(img.Planes, img.Extra)))
	if usual >= -usualExponent && usual <= usualExponent {
		return 1
	}
	_, most := math.Frexp(math.MaxFloat32)
	return math.Ldexp(1, max(usual, largest-most+usualExponent)) // no sample leaves the range of float32
}

// largestOf returns the largest distance of a sample from 0. Samples that are no numbers have none.
func largestOf(planes [][]float32) float64 {
	largest := float32(0)
	for _, p := range planes {
		for _, v := range p {
			if v < 0 {
				v = -v
			}
			if v > largest && v-v == 0 {
				largest = v
			}
		}
	}
	return float64(largest)
}

// multiply multiplies the samples of planes.
func multiply(planes [][]float32, by float64, workers pool) {
	if by == 1 {
		return
	}
	for _, p := range planes {
		workers.pieces(len(p), func(from, to int) {
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
