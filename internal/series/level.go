package series

import (
	"math"
	"slices"
)

// Level says how the samples of a page follow from those of another page of the scene, if a lamp flickers, a dye
// bleaches or the exposure changes: Gain times them plus Offset.
type Level struct{ Gain, Offset float32 }

// Same is the level of pages that are equally bright.
var Same = Level{Gain: 1}

// Inverse returns the level that leads back.
func (l Level) Inverse() Level { return Level{1 / l.Gain, -l.Offset / l.Gain} }

// After returns the level that first does what m does, and then l.
func (l Level) After(m Level) Level { return Level{l.Gain * m.Gain, l.Gain*m.Offset + l.Offset} }

// Of returns what a sample becomes.
func (l Level) Of(v float32) float32 { return l.Gain*v + l.Offset }

// Apply changes samples.
func (l Level) Apply(samples []float32) {
	if l == Same {
		return
	}
	for i, v := range samples {
		samples[i] = l.Of(v)
	}
}

const (
	fitRounds = 8
	maxGain   = 3 // more is no change of light
)

// Fit returns the level that leads from x to y, samples of two pages at places that show the same. Their noise is
// alike. Places where something else has changed hardly count. Rest is the mean square of what the level leaves.
func Fit(x, y []float32) (l Level, rest float64) {
	l = Moments(x, y)
	left, sorted := make([]float64, len(x)), make([]float64, len(x))
	weights := make([]float64, len(x))
	for range fitRounds {
		for i, v := range x {
			left[i] = math.Abs(float64(y[i] - l.Of(v)))
		}
		copy(sorted, left)
		slices.Sort(sorted)
		scale := 1.5*sorted[len(sorted)/2] + 1e-9
		for i, d := range left {
			weights[i] = 1 / (1 + d*d/(scale*scale))
		}
		l, rest = line(x, y, weights)
	}
	return l, rest
}

// line returns the line through weighted points whose noise is alike in both directions, and the mean of the squares
// that are left. Where the points hardly depend on each other, it is a shift.
func line(x, y []float32, weights []float64) (Level, float64) {
	var n, sx, sy, xx, yy, xy float64
	for i, w := range weights {
		n += w
		sx += w * float64(x[i])
		sy += w * float64(y[i])
	}
	sx, sy = sx/n, sy/n
	for i, w := range weights {
		u, v := float64(x[i])-sx, float64(y[i])-sy
		xx += w * u * u
		yy += w * v * v
		xy += w * u * v
	}
	gain := 1.0
	if xy > 0 && xy*xy > xx*yy/2 {
		gain = (yy - xx + math.Sqrt((yy-xx)*(yy-xx)+4*xy*xy)) / (2 * xy)
	}
	rest := (yy - 2*gain*xy + gain*gain*xx) / n
	return bounded(gain, sx, sy), max(0, rest)
}

// Moments returns the level that gives x the mean and the contrast of y.
func Moments(x, y []float32) Level {
	mean := func(v []float32) (m, squares float64) {
		for _, s := range v {
			m += float64(s)
		}
		m /= float64(len(v))
		for _, s := range v {
			squares += (float64(s) - m) * (float64(s) - m)
		}
		return m, squares
	}
	mx, xx := mean(x)
	my, yy := mean(y)
	return bounded(math.Sqrt(yy/xx), mx, my)
}

// bounded returns the level with a gain that leads from one mean to another. A gain that makes no sense becomes 1.
func bounded(gain, from, to float64) Level {
	if !(gain > 1./maxGain && gain < maxGain) {
		gain = 1
	}
	return Level{float32(gain), float32(to - gain*from)}
}
