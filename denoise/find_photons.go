package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// photons finds photon noise. Each channel gets its own if white balance made them differ.
func (v view) photons(finding) (answer, error) {
	if v.j.Noise != Poisson && !(v.j.Noise == Auto && isPhoton(v.curve, v.fit) && v.evenColours(v.j.Workers)) {
		return answer{}, nil
	}
	b, differ, err := v.photonsOfChannels()
	n := foundPhotons(v.fit, v.normalised)
	if differ {
		n = byBrightness(b, true)
	}
	return answer{noise: n, sure: sureBelow(v.curve.Broad(), maxPhotonBroad)}, err
}

// photonsOfChannels returns the photon noise of each channel of a colour image with photon noise, or false if one noise
// fits all channels. White balance multiplies each channel by a factor of its own, and so its photon noise.
func (v view) photonsOfChannels() (b brightness, differ bool, err error) {
	if len(v.planes) != 3 || v.fit.Kind != noisecurve.Photon {
		return b, false, nil
	}
	for i, p := range v.planes {
		c, err := v.j.noiseCurve([][]float32{p}, v.width, v.height)
		if err != nil || len(c.Points) == 0 {
			return b, false, err
		}
		own := c.Fit()
		factor := ratioTo(c, v.fit)
		if own.Kind != noisecurve.Photon || own.Evidence < 1 || !near(own.Gain, factor*v.fit.Gain) {
			own = stronger(v.fit, factor)
		}
		differ = differ || math.Abs(math.Log(factor))/2 > channelsApart
		if !(own.Gain < maxGain*v.fit.Gain && own.Gain > v.fit.Gain/maxGain) {
			return b, false, nil
		}
		b.photons[i] = photonsOf(own, v.normalised)
		b.channels = append(b.channels, v.stabilizer(own))
	}
	return b, differ, nil
}
