package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// Limits for photon noise in a noise curve.
const (
	// least standard deviation of photon noise at some brightness, in steps between samples: faint noise of scans may
	// also grow with the brightness
	minSteps = 6.0
	// share of clipped samples up to which this holds: white noise that is clipped in the dark also grows with the
	// brightness
	maxAtEnds = 0.02
	// largest difference of the gain of counted photons from a step between samples, as a share of the step
	stepGain       = 0.1
	maxPhotonBroad = 2.0 // ratio of coarse over fine noise above which photon noise is something else
)

func isPhoton(c noisecurve.Curve, f noisecurve.Fit) bool {
	most := 0.0
	for _, p := range c.Points {
		most = max(most, p.Variance)
	}
	sigma := math.Sqrt(most)
	// fine photon noise may have few steps if it has as many of 8 bits
	few := sigma > minSteps/255 && c.Broad() < noisecurve.MaxWhite && c.Clipped() < maxAtEnds
	strong := few || sigma > minSteps*c.Step
	return f.Kind == noisecurve.Photon && c.Broad() < maxPhotonBroad && (strong || isCounts(c, f))
}

// isCounts reports whether samples are counts of photons: one step for each.
func isCounts(c noisecurve.Curve, f noisecurve.Fit) bool {
	return math.Abs(f.Gain-c.Step) < stepGain*c.Step+2*f.GainError && f.ReadNoise < c.Step &&
		c.Broad() < noisecurve.MaxWhite
}

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

// inversePhotons finds the noise of photons in a negative, or in a file in which 0 is white.
func (v view) inversePhotons(finding) (answer, error) {
	if v.j.Noise != Auto {
		return answer{}, nil
	}
	c, independent, err := v.leastTextured()
	c = c.Inverse()
	f := c.Fit()
	if err != nil || !isPhoton(c, f) || !independent && !v.evenColours(v.j.Workers) {
		return answer{}, err
	}
	return answer{noise: v.curveNoise(f.Inverse(c.Low, c.High)), sure: sureBelow(c.Broad(), maxPhotonBroad)}, v.j.err()
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

// foundPhotons returns the photon noise of a fit to a picture.
func foundPhotons(f noisecurve.Fit, s normalised) noiseModel {
	if f.Kind != noisecurve.Photon { // the noise of very many photons is white
		return newEven(f.Sigma*s.unit, s.unit, false, true)
	}
	return givenPhotons(photonsOf(f, s), s.low+f.Dark*s.unit, true)
}
