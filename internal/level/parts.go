package level

import (
	"math"
	"slices"
)

const (
	partSide     = 320  // of a part, in samples: about what the networks were trained with
	mostParts    = 3    // on an axis
	leastKnown   = 3    // parts of which the level must be known
	partQuantile = 0.15 // of the levels of parts, from the lowest
	leastOfParts = 0.5  // of their median: what is lower is told of a part whose noise cannot be seen
	leastOfFine  = 2.0  // of the level of white noise, which fine noise tells
	leastLevel   = 1.0  // grey levels from which parts are measured: what is lower hardly changes a picture
)

// MeasureInParts is Measure for pictures of any size. The networks were trained with small pictures. In a large one that has much texture they may
// predict far too high a level, while noise is in all parts of it. So parts of a large picture are measured as well, and one of the lowest of
// their levels counts if it is lower than that of the whole.
func MeasureInParts(planes [][]float32, width, height int, white float64, steps Steps, remove Remover, workers int) Estimate {
	e := Measure(planes, width, height, white, steps, remove, workers)
	if !e.Known || 255*e.Sigma < leastLevel {
		return e
	}
	var parts []Estimate
	for _, a := range partsOf(width, height) {
		parts = append(parts, measureNoisy(cut(planes, width, a), a.width, a.height, white, steps, remove, workers))
	}
	return e.boundBy(parts, leastOfFine*white)
}

// boundBy returns the estimate with the level that partQuantile of the parts are below, if that is lower. The level is at least leastOfParts of the
// median of the parts, and at least least, unless it was lower before.
func (e Estimate) boundBy(parts []Estimate, least float64) Estimate {
	var levels []float64
	for _, p := range parts {
		if p.Known && p.Sigma > 0 {
			levels = append(levels, math.Log(p.Sigma))
		}
	}
	if len(levels) >= leastKnown {
		slices.Sort(levels)
		low := max(quantile(levels, partQuantile), quantile(levels, 0.5)+math.Log(leastOfParts))
		e.Sigma = min(e.Sigma, max(math.Exp(low), least))
	}
	return e
}

// partsOf spreads parts over a large picture. It returns none for other pictures.
func partsOf(width, height int) (all []area) {
	if min(width, height) < 2*partSide {
		return nil
	}
	columns, rows := min(width/partSide, mostParts), min(height/partSide, mostParts)
	place := func(i, n, length int) int {
		const unit = 2 * blockSide // of JPEG files with chroma at half the size
		return ((2*i+1)*length/n - partSide) / 2 / unit * unit
	}
	for j := range rows {
		for i := range columns {
			all = append(all, area{place(i, columns, width), place(j, rows, height), partSide, partSide})
		}
	}
	return all
}

// cut returns a copy of an area.
func cut(planes [][]float32, width int, a area) (out [][]float32) {
	for _, p := range planes {
		q := make([]float32, 0, a.width*a.height)
		for y := range a.height {
			q = append(q, p[(a.y+y)*width+a.x:][:a.width]...)
		}
		out = append(out, q)
	}
	return out
}
