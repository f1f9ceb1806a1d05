package denoise

import (
	"cmp"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// At returns the standard deviation of the noise at a brightness, both in the unit of Photons. If red, green and blue
// differ, it is the root mean square. For noise of the kind Camera the standard deviation is not known, and ok is
// false.
func (r Result) At(brightness float64) (sigma float64, ok bool) {
	switch r.Noise {
	case None:
		return 0, true
	case Gaussian:
		return r.Sigma * cmp.Or(r.Full, 1) / 255, true
	case Poisson:
		if r.Channels == [3]PhotonNoise{} {
			return math.Sqrt(r.Photons.variance(brightness)), true
		}
		sum := 0.0
		for _, n := range r.Channels {
			sum += n.variance(brightness)
		}
		return math.Sqrt(sum / 3), true
	case Curve:
		if r.profile != nil {
			return r.profile.at(brightness, cmp.Or(r.Full, 1)), true
		}
	}
	return 0, false
}

func (n PhotonNoise) variance(brightness float64) float64 {
	return max(0, n.Gain*(brightness-n.Offset)) + n.ReadNoise*n.ReadNoise
}

// at returns the root mean square of the noise of all channels at a brightness, both in units where full is full scale.
// The noise is of the kind Curve.
func (p *Profile) at(brightness, full float64) float64 {
	sum := 0.0
	for _, c := range p.Channels {
		var levels, variances []float64
		for _, q := range c.Points {
			levels, variances = append(levels, q.Level), append(variances, q.Sigma*q.Sigma)
		}
		sum += noisecurve.Interpolate(levels, variances, brightness*p.FullScale/full)
	}
	return math.Sqrt(sum/float64(len(p.Channels))) * full / p.FullScale
}
