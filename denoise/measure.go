package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// measure finds out about the noise what the options leave open.
func (o Options) measure(img image) foundNoise {
	switch {
	case o.Noise == None:
		return noNoise{}
	case o.Noise == Poisson && o.Photons != (PhotonNoise{}):
		return photonNoise{PhotonNoise: o.Photons, dark: o.Photons.Offset}
	case o.Models.forCamera():
		return measureCamera(img, o.Workers)
	case o.Sigma > 0:
		return newGaussian(o.Sigma/255, img.unit(), false)
	}
	return o.find(img)
}

// find measures an image whose noise is not given. Samples of a small or a very large range are stretched first: the noise of a
// picture in the lowest bits of a 16-bit file is the noise of the same picture over the whole range.
func (o Options) find(img image) foundNoise {
	s := img.stretch(o.Workers)
	curve := noisecurve.Measure(s.planes, s.width, s.height, o.Workers)
	fit := curve.Fit()
	switch {
	case o.Noise == Poisson, o.Noise == Auto && isPhoton(curve, fit):
		return foundPhotons(fit, s)
	case o.Noise == Auto && isDrawn(curve, fit):
		return noNoise{}
	}
	white := whiteLevel(curve, fit, s.image, o.Workers)
	if o.Noise == Gaussian || o.Noise == Auto && isWhite(curve, fit) {
		return newGaussian(white*s.unit, s.unit, true)
	}
	return findBroad(white, s, o)
}

// What is told from a noise curve.
const (
	leastSteps    = 6.0  // steps between samples that photon noise has somewhere: faint noise of scans may grow with the level, too
	mostBroad     = 2.0  // ratio of coarse over fine noise above which photon noise is something else
	whiteBroad    = 1.1  // ratio up to which noise is white
	trustedBroad  = 1.5  // ratio up to which the curve gives the level of white noise
	leastSettled  = 0.05 // share of flat blocks from which the curve gives the level of white noise
	drawnConstant = 0.3  // share of constant blocks in drawn images
)

func isPhoton(c noisecurve.Curve, f noisecurve.Fit) bool {
	most := 0.0
	for _, p := range c.Points {
		most = max(most, p.Variance)
	}
	return f.Kind == noisecurve.Photon && c.Broad() < mostBroad && math.Sqrt(most) > leastSteps*c.Step
}

// isDrawn reports whether an image is drawn or computed: most of it has no noise, and much of it is constant.
func isDrawn(c noisecurve.Curve, f noisecurve.Fit) bool {
	return f.Kind == noisecurve.None && c.Constant > drawnConstant
}

func isWhite(c noisecurve.Curve, f noisecurve.Fit) bool {
	return f.Kind == noisecurve.White && c.Broad() < whiteBroad && c.Settled() > leastSettled
}

// whiteLevel returns the level of white noise on the scale of the samples.
func whiteLevel(c noisecurve.Curve, f noisecurve.Fit, img image, workers int) float64 {
	if f.Kind == noisecurve.White && (c.Settled() > leastSettled || c.Broad() < trustedBroad) {
		return f.Sigma
	}
	return estimate.Sigma(img.planes, img.width, img.height, workers)
}
