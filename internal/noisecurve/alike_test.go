package noisecurve

import (
	"math"
	"testing"
)

// alikeAlong returns noise of the given standard deviations by brightness that is alike in samples at a distance.
func alikeAlong(clean []float32, distance int, sigma func(v float64) float64) []float32 {
	const before = 0.3
	rng := random(35)
	noise := make([]float64, len(clean)+distance)
	for i := range noise {
		noise[i] = rng.NormFloat64()
	}
	noisy := make([]float32, len(clean))
	for i, v := range clean {
		e := (noise[i+distance] + before*noise[i]) / math.Hypot(1, before)
		noisy[i] = v + float32(sigma(float64(v))*e)
	}
	return eightBit(noisy)
}

// The noise of scanning microscopes grows with the brightness, and is alike along rows.
func TestNoiseAlikeAlongLines(t *testing.T) {
	grows := func(v float64) float64 { return math.Sqrt(49+1.5*255*v) / 255 }
	clean := mapped(drawn(), func(v float64) float64 { return 0.2 + 0.6*v })
	for _, distance := range []int{1, width} {
		c := measure(alikeAlong(clean, distance, grows), width, height)
		f := c.Fit()
		if f.Kind != Photon || f.Gain < 1.5/255 || f.Gain > 2.3/255 {
			t.Errorf("distance %d: %s noise of gain %.2f, not of 1.5 to 2.3", distance, f.Kind, 255*f.Gain)
		}
	}
}

// The stronger direction tells the level of such noise. White noise keeps its own.
func TestLevelOfNoiseAlikeAlongLines(t *testing.T) {
	const sigma = 10.0 / 255
	clean := mapped(drawn(), func(v float64) float64 { return 0.2 + 0.6*v })
	alike := measure(alikeAlong(clean, 1, func(float64) float64 { return sigma }), width, height).Fit()
	if alike.Kind != White || alike.Sigma < 1.05*sigma || alike.Sigma > 1.4*sigma {
		t.Errorf("alike: %s noise of %.2f, not 10.5 to 14", alike.Kind, 255*alike.Sigma)
	}
	white := measure(eightBit(white(clean, sigma, random(35))), width, height).Fit()
	if white.Kind != White || math.Abs(white.Sigma/sigma-1) > 0.03 {
		t.Errorf("white: %s noise of %.2f, not 10", white.Kind, 255*white.Sigma)
	}
}
