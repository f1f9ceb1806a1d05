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
	t.toValue = newTable(t.levels, t.values)
	var means []float64 // of the transform with noise
	for _, u := range t.levels {
		means = append(means, t.mean(u, sigma(u)))
	}
	for i := 1; i < len(means); i++ { // it rises, but for rounding and for curves that no noise has
		means[i] = max(means[i], means[i-1]+1e-9)
	}
	t.toLevel = newTable(means, t.levels)
	return &Stabilizer{scale: 1, curve: t}
}

// curveSteps is the number of entries of the table from one level of the curve to the next.
const curveSteps = 48

// curveTable holds the transform at some levels.
type curveTable struct {
	levels, values   []float64
	toValue, toLevel table
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

func (t *curveTable) forward(u float64) float64 { return t.toValue.at(u) }

func (t *curveTable) inverse(v float64) float64 { return t.toLevel.at(v) }

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

// table interpolates ys at rising xs, of which there are at least two, and goes on straight at its ends.
type table struct {
	xs, ys []float64
	first  []int32 // the first interval that may hold x, for equal steps of x
	steps  float64 // number of these steps in a unit of x
}

func newTable(xs, ys []float64) table {
	t := table{xs: xs, ys: ys, first: make([]int32, 2*len(xs))}
	t.steps = float64(len(t.first)) / (xs[len(xs)-1] - xs[0])
	i := 0
	for k := range t.first {
		for i < len(xs)-2 && (xs[i+1]-xs[0])*t.steps < float64(k) {
			i++
		}
		t.first[k] = int32(i)
	}
	return t
}

func (t *table) at(x float64) float64 {
	i := 0
	if step := (x - t.xs[0]) * t.steps; step > 0 {
		i = int(t.first[int(min(step, float64(len(t.first)-1)))])
	}
	for i < len(t.xs)-2 && t.xs[i+1] < x {
		i++
	}
	return line(t.xs, t.ys, i, x)
}

// line returns y at x on the straight line through two neighbours in a table.
func line(xs, ys []float64, i int, x float64) float64 {
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
	return line(xs, ys, sort.SearchFloat64s(xs, x)-1, x)
}
