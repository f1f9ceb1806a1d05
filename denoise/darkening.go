package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/tonecurve"
)

// darkening is the bias of each channel of a denoised picture by noise before a tone curve (see package tonecurve): the
// correction of a sample, at equal steps of its brightness from 0 to 1.
type darkening [][darkSteps + 1]float32

const (
	// darkSteps is fine enough for the darkest samples, where the correction changes most.
	darkSteps = 128
	// nextStep is the factor by which the weight of the noise at a brightness falls for each further step of
	// brightness.
	nextStep = 4
	// prior is the number of samples without noise that are added to each brightness. So brightnesses with few samples
	// hardly change.
	prior = 30
)

// measureDarkening measures the noise by brightness in the residuals of parts of a picture, with the same number of
// planes, on a scale of 0 to 1. The residual counts as noise: texture in it makes the correction a little larger.
func measureDarkening(parts []removal, tone tonecurve.Curve) darkening {
	if len(parts) == 0 {
		return nil
	}
	d := make(darkening, len(parts[0].result))
	for c := range d {
		var s brightnessSums
		for _, p := range parts {
			s.add(p.noisy[c], p.result[c])
		}
		d[c] = s.corrections(tone)
	}
	return d
}

// brightnessSums are the number of samples of each brightness and the sum of the squares of their noise.
type brightnessSums struct{ count, squares [darkSteps + 1]float64 }

func (s *brightnessSums) add(noisy, result []float32) {
	for i, v := range result {
		step, share := darkStep(v)
		if share >= 0.5 {
			step++
		}
		s.count[step]++
		e := float64(noisy[i] - v)
		s.squares[step] += e * e
	}
}

// corrections returns the correction for each brightness. Brighter samples stay brighter.
func (s *brightnessSums) corrections(tone tonecurve.Curve) (c [darkSteps + 1]float32) {
	count, squares := spread(s.count), spread(s.squares)
	most := 0.0
	for i := range c {
		mean := float64(i) / darkSteps
		most = max(most, tone.Undo(mean, math.Sqrt(squares[i]/(count[i]+prior))))
		c[i] = float32(most - mean)
	}
	return c
}

// spread adds to each sum those of the other steps. Their weight falls by nextStep with each step of distance.
func spread(sums [darkSteps + 1]float64) [darkSteps + 1]float64 {
	out := sums
	below, above := 0.0, 0.0
	for i := range sums {
		j := len(sums) - 1 - i
		out[i] += below
		below = (below + sums[i]) / nextStep
		out[j] += above
		above = (above + sums[j]) / nextStep
	}
	return out
}

// darkStep returns the step at or below a sample, from 0 to darkSteps-1, and how far the sample is on the way to the
// next. Samples outside of 0 to 1 count as 0 or 1.
func darkStep(v float32) (step int, share float32) {
	switch {
	case !(v > 0):
		return 0, 0
	case v >= 1:
		return darkSteps - 1, 1
	}
	v *= darkSteps
	step = int(v)
	return step, v - float32(step)
}

// brighten corrects the bias of the samples of a denoised picture, or of a part of it. The correction of a sample
// depends on that sample alone, so a part has the samples of the whole.
func (d darkening) brighten(planes [][]float32, by pool) {
	for c, p := range planes {
		shifts := &d[c]
		by.pieces(len(p), func(from, to int) {
			for i, v := range p[from:to] {
				step, share := darkStep(v)
				p[from+i] = v + shifts[step] + share*(shifts[step+1]-shifts[step])
			}
		})
	}
}
