package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// What is told from a noise curve.
const (
	// steps between samples that photon noise has somewhere: faint noise of scans may grow with the brightness, too
	minSteps = 6.0
	// share of clipped samples up to which this holds: white noise that is clipped in the dark grows with the
	// brightness, too
	maxAtEnds = 0.02
	// how far the gain of counted photons may be from a step between samples, as a share of it
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

// isCounts reports whether samples are photons that were counted, each worth a step.
func isCounts(c noisecurve.Curve, f noisecurve.Fit) bool {
	return math.Abs(f.Gain-c.Step) < stepGain*c.Step+2*f.GainError && f.ReadNoise < c.Step &&
		c.Broad() < noisecurve.MaxWhite
}

// photons finds photon noise: that of each channel if white balance has made them differ.
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

// photonsOfChannels returns the photon noise of each channel of a colour image in which photon noise was found, or
// false if one noise is right for all. White balance multiplies each colour by another factor, and so its photon noise.
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
	if f.Kind != noisecurve.Photon { // as if there were very many photons
		return newEven(f.Sigma*s.unit, s.unit, false, true)
	}
	return givenPhotons(photonsOf(f, s), s.low+f.Dark*s.unit, true)
}
