package denoise

import (
	"context"

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
	e := level.Measure(s.planes, s.width, s.height, fine, o.stepsOf(s), RemoveBroad, o.Workers)
	same := sameLevel
	if s.width*s.height < smallPicture {
		same = sameLevelSmall
	}
	if o.Noise == Auto && e.Sigma < same*fine {
		return newGaussian(min(white, e.Sigma)*s.unit, s.unit, true)
	}
	return newBroad(e.Sigma*s.unit, s.unit, true)
}

// RemoveBroad denoises a gray plane in place, at fast quality and with the models for broad noise. The level of such noise is told by what it
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
