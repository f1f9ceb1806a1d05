package denoise

import (
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// White balance multiplies each colour by another factor, and so its photon noise. Then each channel has a noise of its
// own.

const (
	// channelsApart is how far the standard deviations of channels are from those of all together, for each to count on
	// its own.
	channelsApart = 0.06
	// maxGain is the largest ratio of gains that is believed.
	maxGain = 8
)

// stronger returns a fit whose variance is a number of times as large at each brightness.
func stronger(fit noisecurve.Fit, variance float64) noisecurve.Fit {
	fit.Gain *= variance
	fit.ReadNoise *= math.Sqrt(variance)
	return fit
}

// near reports whether two ways to find a gain agree.
func near(a, b float64) bool { return a < 1.5*b && b < 1.5*a }

// ratioTo returns how many times stronger the noise of a curve is than that of a fit, in variance: the median over the
// points, each as often as it has blocks.
func ratioTo(c noisecurve.Curve, f noisecurve.Fit) float64 {
	type ratio struct {
		value  float64
		blocks int
	}
	var ratios []ratio
	total := 0
	for _, p := range c.Points {
		v := f.Gain*(p.Level-f.Offset) + f.ReadNoise*f.ReadNoise
		if f.Kind == noisecurve.White {
			v = f.Sigma * f.Sigma
		}
		if v > 0 && p.Variance > 0 {
			ratios = append(ratios, ratio{p.Variance / v, p.Blocks})
			total += p.Blocks
		}
	}
	slices.SortFunc(ratios, func(a, b ratio) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	for _, r := range ratios {
		if total -= 2 * r.blocks; total <= 0 {
			return r.value
		}
	}
	return 1
}

// axisOf is the direction in which the brightness of an image lies after its channels were made even, each by a
// transform of its own: how much each of them spreads the same samples.
func axisOf(channels []*noisecurve.Stabilizer, planes [][]float32) (a [3]float64) {
	low, high := quartiles(planes)
	sum := 0.0
	for i, c := range channels {
		a[i] = c.Forward(high) - c.Forward(low)
		sum += a[i] * a[i]
	}
	for i := range a {
		a[i] /= math.Sqrt(sum)
	}
	return a
}

// quartiles returns the samples that a quarter, and three quarters, are below.
func quartiles(planes [][]float32) (low, high float64) {
	sample := someSamples(planes)
	n := len(sample)
	low, high = float64(sample[n/4]), float64(sample[3*n/4])
	if high <= low {
		low, high = float64(sample[0]), float64(sample[n-1])
	}
	if high <= low {
		high = low + max(math.Abs(low), 1)*1e-3
	}
	return low, high
}

// reflection is an orthonormal map of three planes that is its own inverse (A. S. Householder): it exchanges a
// direction and the one of gray. White noise stays white noise.
type reflection struct{ x, y, z float32 }

// ontoGray returns the map that takes a direction of length 1 to that of gray.
func ontoGray(a [3]float64) reflection {
	g := 1 / math.Sqrt(3)
	v := [3]float64{a[0] - g, a[1] - g, a[2] - g}
	length := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	if length < 1e-9 {
		return reflection{}
	}
	f := math.Sqrt2 / length
	return reflection{float32(v[0] * f), float32(v[1] * f), float32(v[2] * f)}
}

func (m reflection) apply(planes [][]float32, by pool) {
	rotate(planes, by, func(r, g, b float32) (float32, float32, float32) {
		d := m.x*r + m.y*g + m.z*b
		return r - d*m.x, g - d*m.y, b - d*m.z
	})
}

// differ reports whether factors of variances are too far apart for one noise to be right for all channels.
func differ(factors [3]float64) bool {
	mean := math.Cbrt(factors[0] * factors[1] * factors[2])
	for _, f := range factors {
		if math.Abs(math.Log(f/mean))/2 > channelsApart {
			return true
		}
	}
	return false
}
