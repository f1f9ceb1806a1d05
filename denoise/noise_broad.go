package denoise

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
)

// broadNoise is noise without its fine part, as cameras, scanners and compressors leave it. The models for white noise remove it
// if they are told a higher level than its standard deviation. Models that were trained with such noise refine the result.
type broadNoise struct{ gaussianNoise }

func (n broadNoise) result() Result {
	r := n.gaussianNoise.result()
	r.Noise = Camera
	return r
}

const (
	// sameLevel is the ratio of levels up to which noise counts as white. A small picture has few places to compare, so its level is told
	// less surely.
	sameLevel, sameLevelSmall = 1.25, 1.6
	smallPicture              = 128 * 128 // pixels
	// leastBroad is the level of broad noise, in grey levels, that smooth pictures do not have.
	leastBroad = 0.5
	// rounding is the largest standard deviation, in steps between samples, of rounding a smooth picture.
	rounding = 0.35
)

// findBroad predicts the level for noise that may be broad. White is the level of white noise, and step the least difference of
// samples.
func findBroad(white, step float64, s stretched, o Options) foundNoise {
	broad := CameraLevel(s.planes, s.width, s.height, o.Workers)
	if o.Noise == Auto && 255*broad < leastBroad {
		if white < rounding*step {
			white = 0
		}
		return newGaussian(white*s.unit, s.unit, true)
	}
	fine := s.fine() // the networks were trained with this estimate
	measure := level.MeasureInParts
	if o.quick {
		measure = level.Measure
	}
	e := measure(s.planes, s.width, s.height, fine, o.stepsOf(s), RemoveBroad, o.Workers)
	same := sameLevel
	if s.width*s.height < smallPicture {
		same = sameLevelSmall
	}
	if o.Noise == Auto && e.Sigma < same*fine {
		return newGaussian(min(white, e.Sigma)*s.unit, s.unit, true)
	}
	return newBroad(usual(e.Sigma, fine, len(s.planes), o.Quality)*s.unit, s.unit, true)
}

// pilotShare returns the share of the passes in the mean with what the models for broad noise make of them, for a level of luma. Those models know
// the cameras that they were trained with. The passes know none, and are better for some others. But of pictures that have next to no noise, the
// models keep more texture.
func pilotShare(luma float64) float32 {
	const (
		most      = 0.4
		none, all = 2.3 / 255, 4.6 / 255
	)
	return float32(most * between(luma, none, all))
}

// usual moves a predicted level towards those that photographs are best denoised with. Predictions differ more from picture to picture than the best
// levels do. Noise that has a fine part keeps its level: that part tells it. So does noise that is much stronger than photographs usually have. No level
// is raised.
func usual(sigma, fine float64, planes int, q Quality) float64 {
	const (
		luma      = 5.8 / 255  // level of luma in most photographs
		lower     = 0.2        // the logarithm by which all levels are lower: the networks learned those of fast quality
		lowerFast = -0.1       // the same at fast quality
		nearer    = 0.3        // share of the distance to luma, in logarithms
		none, all = 2.0, 8.0   // how many times the fine part the level is, from where it moves, and where it moves by all of that
		leastFine = 0.05 / 255 // keeps the ratio finite

		strong, strongest = 12.0 / 255, 24.0 / 255 // levels of luma from where it moves less, and not at all
	)
	by := lower
	if q == Fast {
		by = lowerFast
	}
	level := lumaLevel(sigma, planes)
	by += nearer * math.Log(level/luma)
	broad, usual := between(sigma/max(fine, leastFine), none, all), 1-between(level, strong, strongest)
	return sigma * math.Exp(-max(by, 0)*broad*usual)
}

// lumaLevel returns the level of the luma as for a gray image, given that of an image of one or three planes.
func lumaLevel(sigma float64, planes int) float64 { return sigma / math.Sqrt(float64(planes)) }

// between returns where a positive number lies between two others in logarithms: 0 up to none, 1 from all on.
func between(v, none, all float64) float64 {
	return min(max(math.Log(v/none)/math.Log(all/none), 0), 1)
}

// RemoveBroad denoises a gray plane in place, at fast quality and with the models for broad noise. Package level estimates the noise from what this
// removes. Samples and sigma are on a scale of 0 to 1. A plane that does not have the size stays as it is, and so does one with a sigma that is not
// positive.
func RemoveBroad(plane []float32, width, height int, sigma float64) {
	if !(sigma > 0) || checkSize([][]float32{plane}, width, height) != nil {
		return
	}
	n := gaussianNoise{sigma: sigma, unit: 1, notWhite: true}
	if _, err := n.remove(context.Background(), image{[][]float32{plane}, width, height}, Options{Quality: Fast, Workers: 1}); err != nil {
		panic(err) // shipped models load, and a background context does not end
	}
}

// newBroad returns broad noise of a level, on the scale of the samples.
func newBroad(sigma, unit float64, estimated bool) foundNoise {
	n := newGaussian(sigma, unit, estimated)
	if g, ok := n.(gaussianNoise); ok {
		g.notWhite = true
		return broadNoise{g}
	}
	return n
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
