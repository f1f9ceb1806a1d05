package denoise

import (
	"fmt"
	"reflect"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// noise returns the noise for samples on a scale of 0 to 1.
func (p *Profile) noise() noiseModel {
	b := brightness{profile: p}
	channels := p.Channels
	if len(channels) == 3 && reflect.DeepEqual(channels[0], channels[1]) &&
		reflect.DeepEqual(channels[1], channels[2]) {
		channels = channels[:1]
	}
	for i, c := range channels {
		s, photons := c.stabilizer(p.Kind, p.FullScale)
		b.channels = append(b.channels, s)
		if p.Kind == Poisson {
			b.photons[i] = photons
		}
	}
	if len(channels) == 1 {
		b.photons[1], b.photons[2] = b.photons[0], b.photons[0]
	}
	n := byBrightness(b, false)
	n.even.sigma = p.level()
	return n
}

// stabilizer returns the transform for samples on a scale of 0 to 1.
func (c ChannelNoise) stabilizer(kind Noise, full float64) (*noisecurve.Stabilizer, PhotonNoise) {
	switch kind {
	case Poisson:
		n := PhotonNoise{c.Gain, c.Offset, c.ReadNoise}.over(full)
		dark := n.Offset
		if c.Dark != 0 {
			dark = c.Dark / full
		}
		return noisecurve.NewStabilizer(n.Gain, n.Offset, n.ReadNoise, dark), n
	case Gaussian:
		return noisecurve.Fit{Kind: noisecurve.White, Sigma: c.Sigma / full}.Stabilizer(), PhotonNoise{}
	}
	var levels, variances []float64
	for _, q := range c.Points {
		levels, variances = append(levels, q.Level/full), append(variances, (q.Sigma/full)*(q.Sigma/full))
	}
	return noisecurve.NewCurveStabilizer(levels, variances), PhotonNoise{}
}

// found returns the noise of the profile for an image.
func (p *Profile) found(img image) noiseModel {
	if p.Kind == Gaussian && len(p.Channels) == 1 && p.level() == 1 {
		return newEven(p.Channels[0].Sigma/p.FullScale, img.unit(), false, false)
	}
	return p.noise()
}

// String describes the noise as Result.String does, in the unit of the files.
func (p *Profile) String() string {
	if p.Check() != nil {
		return "no valid noise profile"
	}
	text := p.noise().result().inFile(p.FullScale).String()
	if p.IsBroad() {
		text += fmt.Sprintf(", %.1f times stronger at coarse detail", p.Broad)
	}
	return text
}
