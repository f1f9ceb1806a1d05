package denoise

import (
	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
)

// broadNoise is noise without its fine part, as cameras, scanners and compressors leave it. The models for white noise remove it
// if they are told a higher level than its standard deviation.
type broadNoise struct{ gaussianNoise }

func (n broadNoise) result() Result {
	r := n.gaussianNoise.result()
	r.Noise = Camera
	return r
}

// sameLevel is the ratio of levels up to which noise counts as white.
const sameLevel = 1.25

// findBroad predicts the level for noise that may be broad. White is the level of white noise.
func findBroad(white float64, s stretched, o Options) foundNoise {
	fine := estimate.Sigma(s.planes, s.width, s.height, o.Workers) // the networks were trained with this estimate
	e := level.Measure(s.planes, s.width, s.height, fine, o.Workers)
	if o.Noise == Auto && e.Sigma < sameLevel*fine {
		return newGaussian(min(white, e.Sigma)*s.unit, s.unit, true)
	}
	n := newGaussian(e.Sigma*s.unit, s.unit, true)
	if g, ok := n.(gaussianNoise); ok {
		return broadNoise{g}
	}
	return n
}
