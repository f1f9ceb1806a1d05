package noisecurve

import (
	"math"
	"sort"
)

// NewCurveStabilizer returns the transform for noise whose variance is known at some levels, by rising level. Between
// them it is interpolated, and outside, the nearest level counts. Variances must be positive, and there must be a level
// at least.
//
// The transform is the integral of 1/sigma over the level, which makes any noise even to first order. Its inverse is
// unbiased for Gaussian noise.
func NewCurveStabilizer(levels, variances []float64) *Stabilizer {
	t := &curveTable{}
	sigma := func(u float64) float64 { return math.Sqrt(Interpolate(levels, variances, u)) }
	last := len(levels) - 1
	const margin = 6 // standard deviations beyond the ends
	ends := []float64{levels[0] - margin*sigma(levels[0])}
	ends = append(append(ends, levels...), levels[last]+margin*sigma(levels[last]))
	for i, from := range ends[:last+2] {
		for k := range curveSteps {
			t.add(from+(ends[i+1]-from)*float64(k)/curveSteps, sigma)
		}
	}
	t.add(ends[last+2], sigma)
	for _, u := range t.levels {
		t.means = append(t.means, t.mean(u, sigma(u)))
	}
	for i := 1; i < len(t.means); i++ { // it rises, but for rounding and for curves that no noise has
		t.means[i] = max(t.means[i], t.means[i-1]+1e-9)
	}
	return &Stabilizer{scale: 1, curve: t}
}

// curveSteps is the number of entries of the table from one level of the curve to the next.
const curveSteps = 48

// curveTable holds the transform at some levels.
type curveTable struct {
	levels []float64
	values []float64 // of the transform
	means  []float64 // of the transform with noise
}

// add appends a level to the table.
func (t *curveTable) add(u float64, sigma func(float64) float64) {
	value := 0.0
	if n := len(t.levels); n > 0 {
		before := t.levels[n-1]
		if u <= before {
			return
		}
		// Simpson's rule.
		value = t.values[n-1] + (u-before)/6*(1/sigma(before)+4/sigma((u+before)/2)+1/sigma(u))
	}
	t.levels, t.values = append(t.levels, u), append(t.values, value)
}

func (t *curveTable) forward(u float64) float64 { return lookUp(t.levels, t.values, u) }

func (t *curveTable) inverse(v float64) float64 { return lookUp(t.means, t.levels, v) }

// mean returns the mean of the transform for Gaussian noise about u.
func (t *curveTable) mean(u, sigma float64) float64 {
	weight, sum := 0.0, 0.0
	for z := -4.0; z <= 4; z += 0.25 {
		w := math.Exp(-z * z / 2)
		weight += w
		sum += w * t.forward(u+z*sigma)
	}
	return sum / weight
}

// lookUp interpolates y at x in a table of rising xs, and goes on straight at its ends.
func lookUp(xs, ys []float64, x float64) float64 {
	i := min(max(sort.SearchFloat64s(xs, x)-1, 0), len(xs)-2)
	return ys[i] + (x-xs[i])*(ys[i+1]-ys[i])/(xs[i+1]-xs[i])
}

// Interpolate interpolates y at x in a table of rising xs. Beyond its ends, the value at the nearest end counts.
func Interpolate(xs, ys []float64, x float64) float64 {
	last := len(xs) - 1
	if last == 0 || x <= xs[0] {
		return ys[0]
	}
	if x >= xs[last] {
		return ys[last]
	}
	return lookUp(xs, ys, x)
}
