package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// brightness is noise whose variance depends on the brightness, given by the transforms that stabilise the variance.
type brightness struct {
	channels []*noisecurve.Stabilizer // one for all planes, or one for each of red, green and blue
	photons  [3]PhotonNoise           // of each channel; white noise has a ReadNoise alone
	sigma    float64                  // root mean square over the channels if their noise is white; else 0
	camera   float64                  // geometric mean of the standard deviation of noise of a camera; else 0
	profile  *Profile                 // where the noise comes from; nil if it was found or given by numbers
	whole    wholeImage               // set by of
}

// wholeImage is what the transform depends on besides the noise: it must be the same for all parts of an image.
type wholeImage struct {
	span float64    // of the samples after the transform
	gray reflection // with three channels: maps the direction of the brightness to that of gray
}

// of returns the transforms with what depends on an image.
func (b brightness) of(planes [][]float32) *brightness {
	spanOf := func(c *noisecurve.Stabilizer, planes [][]float32) float64 {
		span, low := dynamicRange(planes)
		return float64(float32(c.Forward(low+span))) - float64(float32(c.Forward(low)))
	}
	if len(b.channels) != 3 {
		b.whole.span = spanOf(b.channels[0], planes)
		return &b
	}
	b.whole.gray = ontoGray(axisOf(b.channels, planes))
	sum := 0.0
	for i, c := range b.channels { // the brightness has the root mean square
		r := spanOf(c, planes[i:i+1])
		sum += r * r / 3
	}
	b.whole.span = math.Sqrt(sum)
	return &b
}

// toUnit returns the factor that brings samples to a range of about 1, for which models are chosen. For camera noise,
// it brings them back to about the range that they had before the transform.
func (b *brightness) toUnit() float64 {
	if b.camera > 0 {
		return b.camera
	}
	return 1 / max(1, b.whole.span)
}

// deviation returns the standard deviation in a plane at a brightness: the change of the sample that changes the
// transformed one by the given level.
func (b *brightness) deviation(plane int, at, level float64) float64 {
	c := b.channels[min(plane, len(b.channels)-1)]
	v := c.Forward(at)
	return (c.Inverse(v+level) - c.Inverse(v-level)) / 2
}

// result describes the noise. The level is what the models assume, in standard deviations of the noise.
func (b *brightness) result(level float64) Result {
	if b.sigma > 0 {
		return Result{Noise: Gaussian, Sigma: 255 * b.sigma}
	}
	r := Result{Noise: Poisson, Photons: b.photons[1]}
	if b.photons[0] != b.photons[1] || b.photons[2] != b.photons[1] {
		r.Channels = b.photons
	}
	if b.profile == nil || b.profile.Kind == Poisson {
		return r
	}
	least, most, mean := b.profile.sigmas()
	switch r.Noise = b.profile.Kind; {
	case b.camera > 0:
		r.Noise, r.Sigma, r.Range = Camera, 255*b.camera*level, [2]float64{least, most}
	case r.Noise == Curve:
		r.Range, r.profile = [2]float64{least, most}, b.profile
	default:
		r.Sigma = 255 * mean
	}
	return r
}

// stabilise makes the variance of the noise the same at each brightness, and brings the samples to a range of about 1.
func (b *brightness) stabilise(planes [][]float32, by pool) {
	b.each(planes, by, func(c *noisecurve.Stabilizer, v float32) float32 { return float32(c.Forward(float64(v))) })
	if len(b.channels) == 3 {
		b.whole.gray.apply(planes, by)
	}
	unit := float32(b.toUnit())
	b.each(planes, by, func(_ *noisecurve.Stabilizer, v float32) float32 { return v * unit })
}

// restore undoes stabilise.
func (b *brightness) restore(planes [][]float32, by pool) {
	if len(b.channels) == 3 {
		b.whole.gray.apply(planes, by)
	}
	unit := b.toUnit()
	b.each(planes, by, func(c *noisecurve.Stabilizer, v float32) float32 {
		return float32(c.Inverse(float64(v) / unit))
	})
}

func (b *brightness) each(planes [][]float32, by pool, f func(*noisecurve.Stabilizer, float32) float32) {
	for i, p := range planes {
		c := b.channels[min(i, len(b.channels)-1)]
		by.pieces(len(p), func(from, to int) {
			for i, v := range p[from:to] {
				p[from+i] = f(c, v)
			}
		})
	}
}

// clamp bounds the change of samples after the transform, for noise of a level there.
func (b *brightness) clamp(level float64) *clamp {
	c := evenClamp(level, 0, len(b.channels))
	if len(b.channels) == 3 {
		c.gray = b.whole.gray
	}
	return c
}
