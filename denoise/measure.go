package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// measure returns the noise that the options give, and measures what they do not give.
func (o Options) measure(img image) foundNoise {
	switch {
	case o.Noise == None:
		return noNoise{}
	case o.Noise == Poisson && o.Photons != (PhotonNoise{}):
		return givenPhotons(o.Photons, o.Photons.Offset, false)
	case o.Profile != nil:
		return o.Profile.found(img)
	case o.Models.forCamera():
		return measureCamera(img, o.Workers)
	case o.Sigma > 0 && o.Noise == Camera:
		return newBroad(o.Sigma/255, img.unit(), false)
	case o.Sigma > 0:
		return newGaussian(o.Sigma/255, img.unit(), false)
	}
	return o.find(img)
}

// measureWhole measures an image, parts of which may be denoised with the result.
func (o Options) measureWhole(img image) foundNoise {
	switch n := o.measure(img).(type) {
	case evenedNoise:
		return n.of(img.planes)
	case placesNoise:
		return n.of(img, o.Workers)
	case gaussianNoise:
		return n.of(img)
	case broadNoise:
		return broadNoise{n.of(img)}
	default:
		return n
	}
}

// find measures an image whose noise is not given. Samples of a small or a very large range are stretched first: the noise of a
// picture in the lowest bits of a 16-bit file is the noise of the same picture over the whole range.
func (o Options) find(img image) foundNoise {
	inside, at := img.withoutBorders()
	s := inside.stretch(o.Workers)
	curve := noisecurve.Measure(s.planes, s.width, s.height, o.Workers)
	found := o.findAlike(s, curve)
	if o.Noise == Auto {
		if n, ok := s.findPlaces(found, curve, o); ok {
			return n.moved(at)
		}
	}
	return found
}

// findAlike measures an image as if its noise were alike in all places. The curve was measured on its planes.
func (o Options) findAlike(s stretched, curve noisecurve.Curve) foundNoise {
	found := o.findIn(s, curve)
	found = o.broadUnderSteps(found, s)
	found = o.broadIfUneven(found, s)
	found = s.boundByPaper(found, curve, o.Workers)
	if o.Noise == Auto && !isFine(found, curve) {
		if n, ok := s.findEnlarged(o); ok {
			return n
		}
	}
	return found
}

// mostStep is how many times larger than the level of white noise the largest quantisation step of a JPEG file may be. Beyond, little is left of
// the finest part of the noise.
const mostStep = 2.5

// broadUnderSteps returns broad noise of the level that the networks tell if white noise was found in a JPEG file with larger steps.
func (o Options) broadUnderSteps(found foundNoise, s stretched) foundNoise {
	r := found.result()
	if r.Noise != Gaussian || o.Noise != Auto || o.stepsOf(s).Largest() <= mostStep*r.Sigma {
		return found
	}
	e := level.Measure(s.planes, s.width, s.height, s.fine(), o.stepsOf(s), RemoveBroad, o.Workers)
	return newBroad(e.Sigma*s.unit, s.unit, true)
}

// broadIfUneven returns broad noise if white noise was found and the networks tell a much higher level. White noise is measured in the places with
// the least noise, so most other places have more.
func (o Options) broadIfUneven(found foundNoise, s stretched) foundNoise {
	n, white := found.(gaussianNoise)
	if !white || o.Noise != Auto || n.chroma > 0 || n.sigma < leastPlaces*s.unit {
		return found
	}
	e := level.Measure(s.planes, s.width, s.height, s.fine(), o.stepsOf(s), RemoveBroad, o.Workers)
	if !e.Known || e.Spread > sureSpread || e.Sigma*s.unit < morePlaces*n.sigma {
		return found
	}
	return newBroad(e.Sigma*s.unit, s.unit, true)
}

const (
	leastPlaces = 4.0 / 255 // least level that is compared: texture looks like weaker noise
	sureSpread  = 0.1       // largest spread of networks that agree
	morePlaces  = 1.5       // least ratio of both levels
)

// isFine reports whether there is fine noise beyond rounding. Pictures that were enlarged have none.
func isFine(found foundNoise, c noisecurve.Curve) bool {
	switch found.(type) {
	case evenedNoise:
		return true
	case gaussianNoise:
		fit := c.Fit()
		return isWhite(c, fit) && fit.Sigma > c.Step
	}
	return false
}

// findIn measures a stretched image at its size. The curve was measured on its planes.
func (o Options) findIn(s stretched, curve noisecurve.Curve) foundNoise {
	fit := curve.Fit()
	if o.Noise == Auto {
		if n, ok := s.findCurve(curve, fit, o.Workers); ok {
			return n
		}
		if n, ok := s.findLuma(curve, o); ok {
			return n
		}
	}
	if n, ok := s.independent(curve, fit, o); ok {
		return n
	}
	even := o.Noise != Auto || s.evenColours(o.Workers)
	switch {
	case o.Noise == Poisson, o.Noise == Auto && even && isPhoton(curve, fit):
		if n, differ := channelPhotons(curve, fit, s, o.Workers); differ {
			return n
		}
		return foundPhotons(fit, s)
	case o.Noise == Auto && isDrawn(curve, fit):
		return noNoise{Result{Estimated: true}}
	}
	white := s.whiteLevel(curve, fit)
	if o.Noise == Gaussian || o.Noise == Auto && even && isWhite(curve, fit) {
		return newGaussian(white*s.unit, s.unit, true)
	}
	return findBroad(white, curve.Step, s, o)
}

// What is told from a noise curve.
const (
	leastSteps    = 6.0       // steps between samples that photon noise has somewhere: faint noise of scans may grow with the level, too
	leastStrong   = 6.0 / 255 // share of the range that fine photon noise has somewhere if it has few steps
	mostAtEnds    = 0.02      // share of clipped samples up to which this holds: white noise that is clipped in the dark grows with the level, too
	stepGain      = 0.1       // how far the gain of counted photons may be from a step between samples, as a share of it
	mostBroad     = 2.0       // ratio of coarse over fine noise above which photon noise is something else
	whiteBroad    = 1.1       // ratio up to which noise is white
	trustedBroad  = 1.5       // ratio up to which the curve gives the level of white noise
	leastSettled  = 0.05      // share of flat blocks from which the curve gives the level of white noise
	drawnConstant = 0.3       // share of constant blocks in drawn images
)

func isPhoton(c noisecurve.Curve, f noisecurve.Fit) bool {
	most := 0.0
	for _, p := range c.Points {
		most = max(most, p.Variance)
	}
	sigma := math.Sqrt(most)
	strong := sigma > leastSteps*c.Step || sigma > leastStrong && c.Broad() < whiteBroad && c.Clipped() < mostAtEnds
	return f.Kind == noisecurve.Photon && c.Broad() < mostBroad && (strong || isCounts(c, f))
}

// isCounts reports whether samples are photons that were counted, each worth a step.
func isCounts(c noisecurve.Curve, f noisecurve.Fit) bool {
	return math.Abs(f.Gain-c.Step) < stepGain*c.Step+2*f.GainError && f.ReadNoise < c.Step && c.Broad() < whiteBroad
}

// isDrawn reports whether an image is drawn or computed: most of it has no noise, and much of it is constant.
func isDrawn(c noisecurve.Curve, f noisecurve.Fit) bool {
	return f.Kind == noisecurve.None && c.Constant > drawnConstant
}

func isWhite(c noisecurve.Curve, f noisecurve.Fit) bool {
	return f.Kind == noisecurve.White && c.Broad() < whiteBroad && c.Settled() > leastSettled
}

// evenSide is the side of the part that evenColours looks at, in samples.
const evenSide = 768

// evenColours reports whether luma and chroma have fine noise of about the same strength, as they have if it is independent in red,
// green and blue. JPEG with chroma at half the size takes the fine part of the noise of chroma away. It looks at the middle of
// large images.
func (img image) evenColours(workers int) bool {
	if len(img.planes) != 3 {
		return true
	}
	const least, most = 0.6, 1.6
	middle := img.crop(evenSide)
	decorrelate(middle.planes, workers)
	var sigmas [3]float64
	for i, p := range middle.planes {
		sigmas[i] = estimate.Sigma([][]float32{p}, middle.width, middle.height, workers)
	}
	chroma := (sigmas[1] + sigmas[2]) / 2
	return chroma >= least*sigmas[0] && chroma <= most*sigmas[0]
}

// crop returns a copy of the middle of the image, at most side x side samples.
func (img image) crop(side int) image {
	w, h := min(side, img.width), min(side, img.height)
	x, y := (img.width-w)/2, (img.height-h)/2
	out := image{nil, w, h}
	for _, p := range img.planes {
		q := make([]float32, 0, w*h)
		for row := range h {
			q = append(q, p[(y+row)*img.width+x:][:w]...)
		}
		out.planes = append(out.planes, q)
	}
	return out
}

// whiteLevel returns the level of white noise on the scale of the samples.
func (s stretched) whiteLevel(c noisecurve.Curve, f noisecurve.Fit) float64 {
	if f.Kind == noisecurve.White && (c.Settled() > leastSettled || c.Broad() < trustedBroad) {
		return f.Sigma
	}
	return s.fine()
}
