package chart

import (
	"fmt"
	"math"
)

// Histogram counts how much was taken from samples. The zero Histogram is empty; NewHistogram sets the width of its
// bins.
type Histogram struct {
	bins  [2*sideBins + 1]int64
	width float64 // of a bin, in levels of 0-255
	sum   float64 // of squares
	count int64
}

// sideBins is the number of bins on each side of 0.
const sideBins = 40

// NewHistogram returns a histogram for noise of about sigma, in levels of 0-255.
func NewHistogram(sigma float64) *Histogram {
	if !(sigma > 1e-6) || math.IsInf(sigma, 0) {
		sigma = 1e-6
	}
	return &Histogram{width: 4 * sigma / sideBins}
}

// Quantum makes the width of the bins an odd multiple of the least difference that there is, in levels of 0-255. Then
// all bins hold as many different values, and none lies on the border of two. It must be called before Add.
func (h *Histogram) Quantum(least float64) {
	if least > 0 && least < 1e3*h.width {
		h.width = least * (2*math.Ceil((h.width/least-1)/2) + 1)
	}
}

// Add counts a difference in levels of 0-255. What lies beyond the last bins counts in those, and what is no number in
// none.
func (h *Histogram) Add(difference float64) {
	if difference-difference != 0 {
		return
	}
	if h.width == 0 {
		*h = *NewHistogram(0)
	}
	i := int(math.Round(min(max(difference/h.width, -sideBins), sideBins)))
	h.bins[i+sideBins]++
	h.count++
	h.sum += difference * difference
}

// AddHistogram adds the counts of another histogram of the same bins.
func (h *Histogram) AddHistogram(o *Histogram) {
	for i, n := range o.bins {
		h.bins[i] += n
	}
	h.sum += o.sum
	h.count += o.count
}

// RMS returns the root mean square of the differences.
func (h *Histogram) RMS() float64 {
	if h.count == 0 {
		return 0
	}
	return math.Sqrt(h.sum / float64(h.count))
}

// SVG draws the histogram with the bell curve of the same standard deviation, which noise follows and detail does not.
func (h *Histogram) SVG() string {
	most := int64(1)
	for _, n := range h.bins[1 : len(h.bins)-1] { // the last bins hold what lies beyond
		most = max(most, n)
	}
	sigma := h.RMS()
	title := fmt.Sprintf("Histogram of what was removed from the brightness: standard deviation %s levels of 0-255.",
		round(sigma))
	if h.count == 0 {
		title = "Histogram of what was removed: nothing yet."
	}
	c := Chart{Title: title, X: "removed, levels of 0-255", Reach: []Point{{-h.edge(), 0}, {h.edge(), float64(most)}}}
	if h.count > 0 {
		c.Series = []Series{{Mark: Area, Points: h.outline(float64(most))},
			{Mark: Line, Colour: 2, Points: h.bell(sigma, 1.1*float64(most))}}
	}
	return c.forPage()
}

// edge returns where the last bin ends.
func (h *Histogram) edge() float64 { return h.width * (sideBins + 0.5) }

// outline returns the border of all bars, none higher than most.
func (h *Histogram) outline(most float64) []Point {
	points := []Point{{-h.edge(), 0}}
	for i, n := range h.bins {
		v, y := (float64(i-sideBins)-0.5)*h.width, min(float64(n), most)
		points = append(points, Point{v, y}, Point{v + h.width, y})
	}
	return append(points, Point{h.edge(), 0})
}

func (h *Histogram) bell(sigma, most float64) []Point {
	if sigma == 0 {
		return nil
	}
	return Through(-h.edge(), h.edge(), func(v float64) float64 {
		density := math.Exp(-v*v/(2*sigma*sigma)) / (sigma * math.Sqrt(2*math.Pi))
		return min(density*h.width*float64(h.count), most)
	})
}
