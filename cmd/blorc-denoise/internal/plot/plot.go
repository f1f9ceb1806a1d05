// Package plot draws small charts as SVG files: dots, lines and labelled axes. They are readable on light and on dark
// backgrounds. A figure has maps over a picture beside a chart, as SVG or PNG.
package plot

import (
	"io"
	"math"
	"strconv"
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
	X, Y   string // labels of the axes
	Series []Series
}

// Size of the picture and of the area for the points, in the unit of the SVG.
const (
	pictureWidth, pictureHeight = 720, 480
	left, right, top, bottom    = 78, 20, 44, 56
)

// WriteSVG writes the chart as an SVG file. Both axes are linear, and that of Y begins at 0. Points that are not finite
// are left out.
func (c Chart) WriteSVG(w io.Writer) error {
	p := newSVG(c.Title, pictureWidth+c.legendWidth(), pictureHeight)
	p.text(left, 26, label{Text: c.Title, Size: titleSize})
	c.draw(p)
	return p.writeTo(w)
}

// draw draws the chart without its title.
func (c Chart) draw(p paper) {
	x, y := c.ranges()
	d := drawing{paper: p, x: x, y: y}
	d.axes(c.X, c.Y)
	for _, s := range c.Series {
		d.series(s)
	}
	d.legend(c.Series)
}

// axis maps values to places.
type axis struct {
	low, high float64
	step      float64 // between ticks
}

// newAxis returns an axis that holds the values from low to high, with about so many ticks at round numbers.
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
	return axis{math.Floor(low/step) * step, math.Ceil(high/step) * step, step}
}

func (a axis) share(v float64) float64 { return (v - a.low) / (a.high - a.low) }

// ticks returns the values of the ticks.
func (a axis) ticks() (values []float64) {
	n := int(math.Round((a.high - a.low) / a.step))
	for i := range n + 1 {
		values = append(values, a.low+float64(i)*a.step)
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

// ranges returns the axes. Small dots far above all else do not stretch the axis.
func (c Chart) ranges() (x, y axis) {
	low, high, most := math.Inf(1), math.Inf(-1), 0.0
	var dots float64
	for _, s := range c.Series {
		for _, p := range s.Points {
			if !p.finite() {
				continue
			}
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
	const maxDots = 1.6 // times what else there is
	if most == 0 {
		most = dots
	}
	return newAxis(low, high, 8), newAxis(0, min(max(most, dots), maxDots*most), 6)
}

// finite reports whether the point can be drawn.
func (p Point) finite() bool {
	const most = 1e30
	return math.Abs(p.X) < most && math.Abs(p.Y) < most
}

// drawing is a chart on paper.
type drawing struct {
	paper
	x, y axis
}

func (d *drawing) px(v float64) float64 {
	return left + d.x.share(v)*(pictureWidth-left-right)
}

func (d *drawing) py(v float64) float64 {
	return pictureHeight - bottom - d.y.share(v)*(pictureHeight-top-bottom)
}

func (d *drawing) axes(x, y string) {
	const width, height = pictureWidth - right, pictureHeight - bottom
	for _, v := range d.x.ticks() {
		d.line(grid, thin, []Point{{d.px(v), top}, {d.px(v), height}})
		d.text(d.px(v), height+18, label{Text: d.x.text(v), Anchor: middle})
	}
	for _, v := range d.y.ticks() {
		d.line(grid, thin, []Point{{left, d.py(v)}, {width, d.py(v)}})
		d.text(left-7, d.py(v)+4, label{Text: d.y.text(v), Anchor: end})
	}
	d.line(ink, thin, []Point{{left, top}, {left, height}, {width, height}})
	d.text((left+width)/2, pictureHeight-14, label{Text: x, Anchor: middle})
	d.text(20, (top+height)/2, label{Text: y, Anchor: middle, Upwards: true})
}

func (d *drawing) series(s Series) {
	switch s.Mark {
	case Dots, Discs:
		radius, opacity := 1.8, 0.45
		if s.Mark == Discs {
			radius, opacity = 4, 1
		}
		var points []Point
		for _, p := range s.Points {
			if p.finite() && p.Y <= d.y.high {
				points = append(points, Point{d.px(p.X), d.py(p.Y)})
			}
		}
		d.discs(colour(s.Colour), radius, opacity, points)
	default:
		var points []Point
		for _, p := range s.Points {
			if p.finite() {
				points = append(points, Point{d.px(p.X), d.py(p.Y)})
			}
		}
		d.line(colour(s.Colour), stroke{2, s.Mark == Dashes}, points)
	}
}

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

// legend names the series.
func (d *drawing) legend(all []Series) {
	const x = pictureWidth - 8
	y := top + 12.0
	for _, s := range all {
		if s.Name == "" {
			continue
		}
		switch s.Mark {
		case Dots, Discs:
			d.discs(colour(s.Colour), map[Mark]float64{Dots: 2, Discs: 4}[s.Mark], 1, []Point{{x + 14, y - 4}})
		default:
			d.line(colour(s.Colour), stroke{2, s.Mark == Dashes}, []Point{{x + 2, y - 4}, {x + 26, y - 4}})
		}
		d.text(x+34, y, label{Text: s.Name})
		y += 20
	}
}
