package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

const (
	// leastLumaNoise is the least level of noise of the brightness alone: fainter noise may be texture.
	leastLumaNoise = 2.0 / 255
	// mostOfColours is what the differences of red, green and blue have of it at most, at fine and at coarse frequencies.
	mostOfColours = 0.15
)

// findLuma looks for white noise that is the same in red, green and blue, as programs for photographs add it.
func (s stretched) findLuma(curve noisecurve.Curve, o Options) (foundNoise, bool) {
	if len(s.planes) != 3 || o.stepsOf(s).Known() { // JPEG takes the noise of colours away
		return nil, false
	}
	colours := curve.MeasureColours(s.planes, noisecurve.Opponents(), s.width, s.height, o.Workers)
	if all := curve.Fit(); all.Kind == noisecurve.White && colours.Even.Variance > 4*mostOfColours*mostOfColours*all.Sigma*all.Sigma {
		return nil, false // without a look at the brightness, which takes time
	}
	gray, fit := s.brightness(o)
	most := mostOfColours * fit.Sigma
	if !isWhite(gray, fit) || gray.Broad() > mostWhite || fit.Sigma < leastLumaNoise || colours.Even.Variance > most*most || colours.Even.Variance*colours.Broad() > most*most {
		return nil, false
	}
	chroma := max(math.Sqrt(colours.Even.Seen), minSigma/255)
	return gaussianNoise{sigma: math.Sqrt(3) * fit.Sigma * s.unit, chroma: chroma * s.unit, unit: s.unit, estimated: true}, true
}

// brightness measures the mean of red, green and blue.
func (s stretched) brightness(o Options) (noisecurve.Curve, noisecurve.Fit) {
	mean := make([]float32, s.width*s.height)
	pieces(o.Workers, len(mean), func(from, to int) {
		for i := from; i < to; i++ {
			mean[i] = (s.planes[0][i] + s.planes[1][i] + s.planes[2][i]) / 3
		}
	})
	c := noisecurve.Measure([][]float32{mean}, s.width, s.height, o.Workers)
	return c, c.Fit()
}
