package chart

import (
	"io"
	"math"
	"strings"
)

// Point is a place in the units of the axes.
type Point struct{ X, Y float64 }

// Mark is how the points of a series are drawn.
type Mark int

const (
	Dots   Mark = iota // small dots
	Discs              // large dots
	Line               // a line through the points
	Dashes             // the same, dashed
	Area               // what lies below the line
)

// Series is a set of points that are drawn alike.
type Series struct {
	Name   string // in the legend; "" leaves it out
	Mark   Mark
	Colour int // 0 to Colours-1
	Points []Point
}

// Colours is the number of colours. M. Okabe and K. Ito chose them so that people with any kind of colour vision can
// tell them apart.
const Colours = 6

// Chart is a chart of one or more series.
type Chart struct {
	Title  string
	X, Y   string  // labels of the axes; without that of Y, its axis has no numbers
	Reach  []Point // places that the axes hold, whatever the series are
	Series []Series
}

// Through returns points from low to high whose height a function gives.
func Through(low, high float64, at func(x float64) float64) (points []Point) {
	const steps = 100
	for i := range steps + 1 {
		x := low + (high-low)*float64(i)/steps
		points = append(points, Point{x, at(x)})
	}
	return points
}

// WriteSVG writes the chart as an SVG file. Both axes are linear, and that of Y begins at 0. Points that are not finite
// are left out.
func (c Chart) WriteSVG(w io.Writer) error {
	p := newSVG(w, c.Title, int(onFile.width)+c.legendWidth(), int(onFile.height), true)
	p.text(onFile.left, 26, label{Text: c.Title, Size: titleSize})
	c.draw(p, onFile)
	return p.end()
}

// forPage returns the chart as a part of a page. The style sheet of the page gives its classes their colours.
func (c Chart) forPage() string {
	var b strings.Builder
	p := newSVG(&b, c.Title, int(onPage.width), int(onPage.height), false)
	c.draw(p, onPage)
	p.end() // a builder never fails
	return b.String()
}

// draw draws the chart without its title.
func (c Chart) draw(p paper, l look) {
	x, y := c.ranges(l)
	d := drawing{paper: p, look: l, x: x, y: y}
	d.axes(c.X, c.Y)
	for _, s := range c.Series {
		d.series(s)
	}
	d.legend(c.Series)
}

// ranges returns the axes. Small dots far above all else do not stretch the axis.
func (c Chart) ranges(l look) (x, y axis) {
	low, high, most := math.Inf(1), math.Inf(-1), 0.0
	var dots float64
	for _, s := range append([]Series{{Mark: Line, Points: c.Reach}}, c.Series...) {
		for _, p := range s.finite() {
			low, high = min(low, p.X), max(high, p.X)
			if s.Mark == Dots {
				dots = max(dots, p.Y)
			} else {
				most = max(most, p.Y)
			}
		}
	}
	if low > high {
		low, high = 0, 1
	}
	const (
		maxDots = 1.6  // times what else there is
		room    = 1.15 // above the points, where the axis ends with them
	)
	if most == 0 {
		most = dots
	}
	most = min(max(most, dots), maxDots*most)
	if l.tight {
		return newAxis(low, high, l.ticks[0]), newAxis(0, room*most, l.ticks[1])
	}
	return newAxis(low, high, l.ticks[0]).rounded(), newAxis(0, most, l.ticks[1]).rounded()
}

// finite returns the points that can be drawn.
func (s Series) finite() (points []Point) {
	for _, p := range s.Points {
		if isFinite(p.X) && isFinite(p.Y) {
			points = append(points, p)
		}
	}
	return points
}

func isFinite(v float64) bool { return math.Abs(v) < 1e30 }

// legendWidth is the width of the legend, which stands to the right of the chart.
func (c Chart) legendWidth() int {
	widest := 0
	for _, s := range c.Series {
		widest = max(widest, len([]rune(s.Name)))
	}
	if widest == 0 {
		return 0
	}
	return 40 + 8*widest
}
