package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
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
	case o.Sigma > 0 && o.Noise == Camera:
		return newBroad(o.Sigma/255, img.unit(), false)
	case o.Sigma > 0:
		return newGaussian(o.Sigma/255, img.unit(), false)
	}
	return o.find(img)
}

// measureWhole measures an image, parts of which may be denoised with the result.
func (o Options) measureWhole(img image) foundNoise {
	return o.measure(img).ofWhole(img, o)
}

// What is told from a noise curve.
const (
	// steps between samples that photon noise has somewhere: faint noise of scans may grow with the level, too
	minSteps = 6.0
	// share of clipped samples up to which this holds: white noise that is clipped in the dark grows with the level,
	// too
	maxAtEnds = 0.02
	// how far the gain of counted photons may be from a step between samples, as a share of it
	stepGain       = 0.1
	maxPhotonBroad = 2.0 // ratio of coarse over fine noise above which photon noise is something else
	trustedBroad   = 1.5 // ratio up to which the curve gives the level of white noise without flat blocks
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

func isWhite(c noisecurve.Curve, f noisecurve.Fit) bool {
	return f.Kind == noisecurve.White && c.Broad() < noisecurve.MaxWhite && c.Settled() > 0
}

// evenSide is the side of the part that evenColours looks at, in samples.
const evenSide = 768

// evenColours reports whether luma and chroma have fine noise of about the same strength, as they have if it is
// independent in red, green and blue. JPEG with chroma at half the size takes the fine part of the noise of chroma
// away. It looks at the middle of large images.
func (img image) evenColours(workers int) bool {
	if len(img.planes) != 3 {
		return true
	}
	const least, most = 0.6, 1.6
	middle := img.crop(evenSide)
	decorrelate(middle.planes, crew{workers: workers})
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

// whiteLevel returns the level of white noise on the scale of the samples. The flattest parts of a page may be its
// white paper, which shows the darker half of the noise. Then strokes are no noise.
func (s stretched) whiteLevel(c noisecurve.Curve, f noisecurve.Fit) float64 {
	switch {
	case f.Kind != noisecurve.White || c.Settled() == 0 && c.Broad() >= trustedBroad:
		return s.fine()
	case c.Clipped() > noisecurve.MaxClipped:
		return min(f.Sigma, s.fine()/clippedAtMean)
	}
	return f.Sigma
}

// clippedAtMean is the standard deviation of a normal variable of deviation 1 whose values above its mean became the
// mean.
var clippedAtMean = math.Sqrt(0.5 - 1/(2*math.Pi))
