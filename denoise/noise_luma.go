package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

const (
	// leastLumaNoise is the least level of noise of the brightness alone: fainter noise may be texture.
	leastLumaNoise = 2.0 / 255
	// mostOfColours is the largest share of this noise in the differences of red, green and blue, at fine and at coarse frequencies.
	mostOfColours = 0.15
	// mostFineGrain is the ratio of coarse over fine noise of the brightness up to which noise that is not white may be of the brightness alone. Grain
	// filtered with a radius of half a sample has 1.2 to 2. Cameras with so much fine noise have noise in the colours, too.
	mostFineGrain = 3
	// mostGrainSpread is the largest spread of the networks that predict its level. They agree less on pictures that are textured everywhere.
	mostGrainSpread = 0.15
)

// findLuma looks for noise that is the same in red, green and blue, as programs for photographs add it: white noise, or fine grain.
func (s stretched) findLuma(curve noisecurve.Curve, o Options) (foundNoise, bool) {
	if len(s.planes) != 3 || o.stepsOf(s).Known() { // JPEG takes the noise of colours away
		return nil, false
	}
	colours := curve.MeasureColours(s.planes, noisecurve.Opponents(), s.width, s.height, o.Workers)
	if all := curve.Fit(); all.Kind == noisecurve.White && colours.Even.Variance > 4*mostOfColours*mostOfColours*all.Sigma*all.Sigma {
		return nil, false // without a look at the brightness, which takes time
	}
	n := gaussianNoise{chroma: max(math.Sqrt(colours.Even.Seen), minSigma/255) * s.unit, unit: s.unit, estimated: true}
	gray, fit := s.brightness(o)
	if isWhite(gray, fit) && gray.Broad() <= mostWhite {
		n.sigma = math.Sqrt(3) * fit.Sigma * s.unit
		return n, isOfBrightness(fit.Sigma, colours)
	}
	if gray.Broad() > mostFineGrain || !isOfBrightness(math.Sqrt(gray.Even.Variance), colours) {
		return nil, false
	}
	e := s.grainLevel(o)
	n.sigma, n.notWhite = math.Sqrt(3)*e.Sigma*s.unit, true
	return broadNoise{n}, e.Known && e.Spread <= mostGrainSpread
}

// isOfBrightness reports whether the differences of the colours have next to nothing of noise that the brightness has.
func isOfBrightness(sigma float64, colours noisecurve.Curve) bool {
	most := mostOfColours * sigma
	return sigma >= leastLumaNoise && colours.Even.Variance <= most*most && colours.Even.Variance*colours.Broad() <= most*most
}

// grainLevel predicts the level of broad noise of the brightness.
func (s stretched) grainLevel(o Options) level.Estimate {
	gray := [][]float32{s.mean(o.Workers)}
	fine := estimate.Sigma(gray, s.width, s.height, o.Workers)
	return level.Measure(gray, s.width, s.height, fine, level.Steps{}, RemoveBroad, o.Workers)
}

// brightness measures the mean of red, green and blue.
func (s stretched) brightness(o Options) (noisecurve.Curve, noisecurve.Fit) {
	c := noisecurve.Measure([][]float32{s.mean(o.Workers)}, s.width, s.height, o.Workers)
	return c, c.Fit()
}

// mean returns the mean of red, green and blue.
func (s stretched) mean(workers int) []float32 {
	mean := make([]float32, s.width*s.height)
	pieces(workers, len(mean), func(from, to int) {
		for i := from; i < to; i++ {
			mean[i] = (s.planes[0][i] + s.planes[1][i] + s.planes[2][i]) / 3
		}
	})
	return mean
}
