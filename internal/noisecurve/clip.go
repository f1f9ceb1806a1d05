package noisecurve

import (
	"math"
	"sync"
)

// piled is the share of samples at an end of the range from where on the image, or a brightness, counts as clipped
// there.
const piled = 0.0005

// clipping says at which ends of the range the samples of an image were clipped.
type clipping struct {
	atLow, atHigh bool
	span          float64 // from the least to the largest sample
}

func (c Curve) clipping() clipping {
	return clipping{
		c.share(func(p Point) float64 { return p.Low }) > piled,
		c.share(func(p Point) float64 { return p.High }) > piled,
		c.High - c.Low}
}

// left returns the share of its variance that clipping leaves to Gaussian noise, where the clipped samples have the
// given mean above the least sample.
func (c clipping) left(mean, variance float64) float64 {
	share, sigma := 1.0, math.Sqrt(variance)
	if c.atLow {
		share *= leftAbove(mean / sigma)
	}
	if c.atHigh {
		share *= leftAbove((c.span - mean) / sigma)
	}
	return share
}

// leftAbove returns the variance left to normal noise that was clipped below 0 and has the mean x since.
func leftAbove(x float64) float64 {
	if !(x < spared) {
		return 1
	}
	table := leftTable()
	at := x * leftSteps
	i := int(at)
	return table[i] + (at-float64(i))*(table[i+1]-table[i])
}

const (
	spared    = 4   // standard deviations from where on clipping changes nothing
	leftSteps = 256 // entries of the table in one standard deviation
)

// leftTable holds what leftAbove interpolates.
var leftTable = sync.OnceValue(func() []float64 {
	table := make([]float64, spared*leftSteps+1)
	for i := range table {
		x := float64(i) / leftSteps
		at := solve(func(u float64) bool { mean, _ := clipped(u); return mean < x })
		_, table[i] = clipped(at)
	}
	return table
})

// clipped returns the mean and the variance of max(0, u+n), where n is normal with variance 1.
func clipped(u float64) (mean, variance float64) {
	density := math.Exp(-u*u/2) / math.Sqrt(2*math.Pi)
	above := 0.5 * math.Erfc(-u/math.Sqrt2)
	mean = u*above + density
	return mean, (u*u+1)*above + u*density - mean*mean
}

// solve returns where a condition that holds below some place and not above it ceases to hold.
func solve(below func(float64) bool) float64 {
	low, high := -3.0, 8.0
	for range 40 {
		if middle := (low + high) / 2; below(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// unclipped returns the points moved to where they would be, had Gaussian noise not been clipped at the ends of the
// range.
func (c Curve) unclipped() []Point {
	points := make([]Point, len(c.Points))
	for i, p := range c.Points {
		if p.Low > piled {
			mean, variance := unclip(p.Level-c.Low, p.Variance)
			p = p.moved(c.Low+mean, variance)
		}
		if p.High > piled {
			mean, variance := unclip(c.High-p.Level, p.Variance)
			p = p.moved(c.High-mean, variance)
		}
		points[i] = p
	}
	return points
}

// unclip returns the mean and the variance of Gaussian noise that has the given ones since values below 0 were set to
// 0.
func unclip(mean, variance float64) (float64, float64) {
	if !(variance > 0) {
		return mean, variance
	}
	ratio := mean / math.Sqrt(variance)
	at := solve(func(u float64) bool { m, v := clipped(u); return m < ratio*math.Sqrt(v) })
	_, v := clipped(at)
	return at * math.Sqrt(variance/v), variance / v
}

// moved returns the point at another level with another variance.
func (p Point) moved(level, variance float64) Point {
	if p.Variance > 0 {
		factor := variance / p.Variance
		p.Error *= factor
		p.Coarse *= factor
		p.Finest *= factor
	}
	p.Level, p.Variance = level, variance
	return p
}
