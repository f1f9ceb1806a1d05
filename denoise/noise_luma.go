package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// maxOfColours is the largest share of noise of the brightness alone in the differences of red, green and blue, at fine
// and at coarse frequencies.
const maxOfColours = 0.15

// findLuma looks for noise that is the same in red, green and blue, as programs for photographs add it: white noise.
func (s evidence) findLuma() (foundNoise, bool) {
	if len(s.planes) != 3 || s.o.stepsOf(s.stretched).Known() { // JPEG takes the noise of colours away
		return nil, false
	}
	colours := s.colours()
	if all := s.fit; all.Kind == noisecurve.White &&
		colours.Even.Variance > 4*maxOfColours*maxOfColours*all.Sigma*all.Sigma {
		return nil, false // without a look at the brightness, which takes time
	}
	if s.o.ended() {
		return nil, false
	}
	n := gaussianNoise{chroma: max(math.Sqrt(colours.Even.Seen), minSigma/255) * s.unit, unit: s.unit, estimated: true}
	gray, fit := s.brightness(s.o)
	if isWhite(gray, fit) && gray.Broad() <= maxWhite {
		n.sigma = math.Sqrt(3) * fit.Sigma * s.unit
		return n, isOfBrightness(fit.Sigma, colours)
	}
	return nil, false
}

// isOfBrightness reports whether the differences of the colours have next to nothing of noise that the brightness has.
func isOfBrightness(sigma float64, colours noisecurve.Curve) bool {
	most := maxOfColours * sigma
	return colours.Even.Variance <= most*most && colours.Even.Variance*colours.Broad() <= most*most
}

// brightness measures the mean of red, green and blue.
func (s stretched) brightness(o Options) (noisecurve.Curve, noisecurve.Fit) {
	c := noisecurve.Measure([][]float32{s.mean(o.crew(o.context()))}, s.width, s.height, o.Workers)
	return c, c.Fit()
}

// mean returns the mean of red, green and blue.
func (img image) mean(by crew) []float32 {
	mean := make([]float32, img.width*img.height)
	by.pieces(len(mean), func(from, to int) {
		for i := from; i < to; i++ {
			mean[i] = (img.planes[0][i] + img.planes[1][i] + img.planes[2][i]) / 3
		}
	})
	return mean
}
