package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/tonecurve"
)

// broadNoise is noise without its fine part, as cameras, scanners and compressors leave it. The models for white noise
// remove it if they are told a higher level than its standard deviation. Models that were trained with such noise
// refine the result.
type broadNoise struct{ gaussianNoise }

func (n broadNoise) result() Result {
	r := n.gaussianNoise.result()
	r.Noise = Camera
	return r
}

func (n broadNoise) ofWhole(img image, o Options) foundNoise {
	if o.Models.forCamera() {
		o.curve = tonecurve.Curve{} // the model has learned what the noise takes
	}
	n.pedestal = img.pedestal()
	return o.bySight(n, img)
}

func (broadNoise) deviation(int) (func(int, float64) float64, bool) { return nil, false }

func (broadNoise) isFine(noisecurve.Curve) bool { return false }

const (
	// sameLevel is the ratio of levels up to which noise counts as white.
	sameLevel = 1.4
	// strongFine is a level from where on predictions hardly differ. Broad noise has no fine part as strong.
	strongFine = 36.0 / 255
)

// findBroad predicts the level for noise that may be broad. White is the level of white noise, and step the least
// difference of samples.
func findBroad(white, step float64, s stretched, o Options) foundNoise {
	s.fine()
	if o.ended() {
		return noNoise{}
	}
	sigma := s.broadLevel(o).Sigma
	switch {
	case o.ended():
		return noNoise{}
	case o.Noise == Auto && 2*sigma < white: // the rest is texture
		return newGaussian(sigma*s.unit, s.unit, true)
	case o.Noise == Auto && min(sigma, strongFine) < sameLevel*s.fine():
		return newGaussian(white*s.unit, s.unit, true)
	case o.Noise == Auto:
		sigma = s.boundByRemoved(sigma, step, o)
	}
	return newBroad(sigma*s.unit, s.unit, true)
}

// broadLevel predicts the level with which models for white noise remove the noise best.
func (s stretched) broadLevel(o Options) level.Estimate {
	return level.Measure(s.planes, s.width, s.height, s.fine(), o.stepsOf(s), o.Workers)
}

// pilotShare returns the share of the passes in the mean with what the models for broad noise make of them, for a level
// of luma. Those models know the cameras that they were trained with. The passes know none, and are better for some
// others. But of pictures that have next to no noise, the models keep more texture.
func pilotShare(luma float64) float32 {
	const (
		most      = 0.4
		none, all = 2.3 / 255, 4.6 / 255
	)
	return float32(most * between(luma, none, all))
}

// lumaLevel returns the level of the luma as for a gray image, given that of an image of one or three planes.
func lumaLevel(sigma float64, planes int) float64 { return sigma / math.Sqrt(float64(planes)) }

// between returns where a positive number lies between two others in logarithms: 0 up to none, 1 from all on.
func between(v, none, all float64) float64 {
	return min(max(math.Log(v/none)/math.Log(all/none), 0), 1)
}

// newBroad returns broad noise of a level, on the scale of the samples.
func newBroad(sigma, unit float64, estimated bool) foundNoise {
	n := newGaussian(sigma, unit, estimated)
	if isNone(n) {
		return n
	}
	return broadNoise{gaussianNoise{sigma: sigma, unit: unit, estimated: estimated, notWhite: true}}
}

// withSteps adds what the file of an image tells about it.
func (o Options) withSteps(img *imageio.Image) Options {
	o.steps = level.Steps(img.Steps)
	return o
}

// stepsOf returns the quantisation steps of a stretched image, if they are known.
func (o Options) stepsOf(s stretched) level.Steps {
	if s.unit != 1 {
		return level.Steps{} // stretching changed the unit
	}
	return o.steps
}
