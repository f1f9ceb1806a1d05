package chart

import (
	"math"
	"strconv"
)

// axis maps values to places.
type axis struct {
	low, high float64
	step      float64 // between ticks
}

// newAxis returns an axis from low to high, with about so many ticks at round numbers.
func newAxis(low, high float64, ticks int) axis {
	if size := max(math.Abs(low), math.Abs(high)); !(high-low > 1e-6*size) {
		high = low + size
		if size == 0 {
			high = 1
		}
	}
	raw := (high - low) / float64(ticks)
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{2, 5, 10} {
		if step < raw {
			step = m * math.Pow(10, math.Floor(math.Log10(raw)))
		}
	}
	return axis{low, high, step}
}

// rounded returns a longer axis that begins and ends with a tick.
func (a axis) rounded() axis {
	return axis{math.Floor(a.low/a.step) * a.step, math.Ceil(a.high/a.step) * a.step, a.step}
}

func (a axis) share(v float64) float64 { return (v - a.low) / (a.high - a.low) }

// ticks returns the values of the ticks.
func (a axis) ticks() (values []float64) {
	const tiny = 1e-9 // what rounding may take from a tick at an end
	for i := math.Ceil(a.low/a.step - tiny); i <= a.high/a.step+tiny; i++ {
		values = append(values, i*a.step)
	}
	return values
}

// text writes the value of a tick with as many decimals as the step needs.
func (a axis) text(v float64) string {
	if math.Abs(v) < a.step/2 {
		return "0"
	}
	if most := max(math.Abs(a.low), math.Abs(a.high)); most >= 1e7 || most < 1e-4 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, -int(math.Floor(math.Log10(a.step)+1e-9))), 64)
}
