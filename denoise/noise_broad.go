package denoise

import "github.com/blorc-denoise/blorc-denoise/internal/level"

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

// findBroad predicts the level for noise that may be broad.
func findBroad(white float64, s stretched, o Options) foundNoise {
	e := level.Measure(s.planes, s.width, s.height, white, o.Workers)
	n := newGaussian(e.Sigma*s.unit, s.unit, true)
	if g, ok := n.(gaussianNoise); ok && (o.Noise == Camera || e.Sigma > sameLevel*white) {
		return broadNoise{g}
	}
	return n
}
