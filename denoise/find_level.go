package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

const (
	// sameLevel is the ratio of the predicted level over the fine noise up to which noise counts as white.
	sameLevel = 1.4
	// strongFine is the level above which predictions hardly differ. Correlated noise has no fine part as strong.
	strongFine = 36.0 / 255
	// trustedBroad is the ratio of coarse over fine noise up to which the noise curve gives the level of white noise
	// even without flat blocks.
	trustedBroad = 1.5
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

func isWhite(c noisecurve.Curve, f noisecurve.Fit) bool {
	return f.Kind == noisecurve.White && c.Broad() < noisecurve.MaxWhite && c.Settled() > 0
}

// white finds noise that is equally strong at all brightnesses, and as strong at fine as at coarse detail.
func (v view) white(finding) (answer, error) {
	if v.j.Noise != Gaussian && !(v.j.Noise == Auto && isWhite(v.curve, v.fit) && v.evenColours(v.j.Workers)) {
		return answer{}, nil
	}
	n := v.oneLevel(v.whiteLevel(v.curve, v.fit), false)
	return answer{noise: n, sure: sureBelow(v.curve.Broad(), noisecurve.MaxWhite)}, nil
}

// oneLevel returns noise of one level.
func (v view) oneLevel(level float64, correlated bool) noiseModel {
	return newEven(level*v.unit, v.unit, correlated, true)
}

// whiteLevel returns the level of white noise on the scale of the samples. The flattest parts of a page may be its
// white paper, where clipping leaves the darker half of the noise. Then strokes do not count as noise.
func (v view) whiteLevel(c noisecurve.Curve, f noisecurve.Fit) float64 {
	switch {
	case f.Kind != noisecurve.White || c.Settled() == 0 && c.Broad() >= trustedBroad:
		return v.fine()
	case c.Clipped() > noisecurve.MaxClipped:
		return min(f.Sigma, v.fine()/clippedAtMean)
	}
	return f.Sigma
}

// clippedAtMean is the standard deviation of a standard normal variable that is clipped at its mean.
var clippedAtMean = math.Sqrt(0.5 - 1/(2*math.Pi))

// correlated finds noise whose fine part is weak, as that of cameras, scanners and compressed files.
func (v view) correlated(finding) (answer, error) {
	return v.correlatedFrom(v.whiteLevel(v.curve, v.fit))
}

// correlatedFrom predicts the level of noise that may be correlated. If the fine noise is as strong, the noise is
// white, of the given level; if the prediction is much lower, the rest is texture.
func (v view) correlatedFrom(white float64) (answer, error) {
	fine := v.fine()
	if err := v.j.err(); err != nil {
		return answer{}, err
	}
	sigma := v.predictedLevel()
	if err := v.j.err(); err != nil {
		return answer{}, err
	}
	correlated, most := true, sameLevel*fine
	s := sure(math.Abs(math.Log(min(sigma, strongFine) / most)))
	switch {
	case v.j.Noise != Auto:
	case 2*sigma < white:
		correlated = false
		if f, ok := v.weak(); ok {
			return answer{noise: foundPhotons(f, v.normalised), sure: s}, v.j.err()
		}
	case min(sigma, strongFine) < most:
		sigma, correlated = white, false
	default:
		var err error
		if sigma, err = v.byRemoved(sigma); err != nil {
			return answer{}, err
		}
	}
	return answer{noise: v.oneLevel(sigma, correlated), sure: s}, nil
}

// weak fits noise to the flat parts of a picture alone, beside which texture may be much stronger. It is false unless
// the noise there is white or that of photons, and of many steps.
func (v view) weak() (f noisecurve.Fit, ok bool) {
	c := v.curve.Flat()
	if len(c.Points) == 0 || c.Points[0].Variance < minSteps*minSteps*c.Step*c.Step || !v.evenColours(v.j.Workers) {
		return f, false
	}
	f = c.Fit()
	return f, isPhoton(c, f) || isWhite(c, f)
}

// foundPhotons returns the photon noise of a fit to a picture.
func foundPhotons(f noisecurve.Fit, s normalised) noiseModel {
	if f.Kind != noisecurve.Photon { // the noise of very many photons is white
		return newEven(f.Sigma*s.unit, s.unit, false, true)
	}
	return givenPhotons(photonsOf(f, s), s.low+f.Dark*s.unit, true)
}

// predictedLevel predicts the level at which models for white noise remove the noise best.
func (v view) predictedLevel() float64 {
	return level.Measure(v.planes, v.width, v.height, v.fine(), v.steps(), v.j.Workers).Sigma
}

// steps returns the quantisation steps of the file in the unit of the view, if they are known.
func (v view) steps() level.Steps {
	if v.unit != 1 { // stretching changed the unit
		return level.Steps{}
	}
	return v.j.file.steps
}

// underSteps finds correlated noise of the predicted level if white noise was found in a JPEG file with larger
// quantisation steps. Then little is left of the finest part of the noise.
func (v view) underSteps(found finding) (answer, error) {
	const maxStep = 2.5 // ratio of the largest step over the level of white noise up to which that level is right
	r := found.noise.result()
	if r.Noise != Gaussian || v.j.Noise != Auto || v.steps().Largest() <= maxStep*r.Sigma {
		return answer{}, nil
	}
	n := v.oneLevel(v.predictedLevel(), true)
	return answer{noise: n, sure: sureBelow(maxStep*r.Sigma, v.steps().Largest())}, v.j.err()
}

// evenSide is the side of the part that evenColours measures, in samples.
const evenSide = 768

// evenColours reports whether luma and chroma have fine noise of about the same strength, as they have if it is
// independent in red, green and blue. JPEG with chroma at half the size removes the fine part of the noise of chroma.
// In large images it measures the middle.
func (img image) evenColours(workers int) bool {
	if len(img.planes) != 3 {
		return true
	}
	const least, most = 0.6, 1.6
	middle := img.crop(evenSide)
	decorrelate(middle.planes, pool{workers: workers})
	var sigmas [3]float64
	for i, p := range middle.planes {
		sigmas[i] = estimate.Sigma([][]float32{p}, middle.width, middle.height, workers)
	}
	chroma := (sigmas[1] + sigmas[2]) / 2
	return chroma >= least*sigmas[0] && chroma <= most*sigmas[0]
}
