package denoise

import (
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// White balance multiplies each channel by a factor of its own, and so its photon noise. Then the channels differ in
// their noise.

const (
	// channelsApart is the difference, in logarithms, between the standard deviation of a channel and that of all
	// channels from which each channel gets a noise of its own.
	channelsApart = 0.06
	// maxGain is the largest plausible ratio of gains; beyond it the measurement is wrong.
	maxGain = 8
)

// stronger multiplies the variance of a fit by a factor at each brightness.
func stronger(fit noisecurve.Fit, variance float64) noisecurve.Fit {
	fit.Gain *= variance
	fit.ReadNoise *= math.Sqrt(variance)
	return fit
}

// near reports whether two estimates of a gain agree.
func near(a, b float64) bool { return a < 1.5*b && b < 1.5*a }

// ratioTo returns the ratio of the variance of a curve over that of a fit: the median over the points, weighted by
// their numbers of blocks.
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

// axisOf returns the direction of gray after the variance-stabilising transforms of the channels: how much each
// transform spreads the same samples.
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

// quartiles returns the first and the third quartile of the samples.
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
