// Package plot draws small charts as SVG files: dots, lines and labelled axes. They are readable on light and on dark
// backgrounds.
package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
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
)

// Series is a set of points that are drawn alike.
type Series struct {
	Name   string // in the legend; "" leaves it out
	Mark   Mark
	Colour int // 0 to Colours-1
	Points []Point
}

// Colours is the number of colours. They are those of M. Okabe and K. Ito, which people with any kind of colour vision can tell apart.
const Colours = 6

var (
	onLight = [Colours]string{"#0072b2", "#d55e00", "#008060", "#a8518a", "#8a6d00", "#3b7ea1"}
	onDark  = [Colours]string{"#56b4e9", "#f0864a", "#3fc79a", "#dd9bc4", "#e6c229", "#9fd3f2"}
)

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

// WriteSVG writes the chart as an SVG file. Both axes are linear, and that of Y begins at 0. Points that are not finite are left
// out.
func (c Chart) WriteSVG(w io.Writer) error {
	x, y := c.ranges()
	d := drawing{x: x, y: y}
	width := pictureWidth + c.legendWidth()
	d.f(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13">`+"\n",
		width, pictureHeight, width, pictureHeight)
	d.f("<title>%s</title>\n<style>\n%s</style>\n", escape(c.Title), style())
	d.f(`<rect class="ground" width="%d" height="%d"/>`+"\n", width, pictureHeight)
	d.f(`<text class="ink" x="%d" y="26" font-size="15">%s</text>`+"\n", left, escape(c.Title))
	d.axes(c.X, c.Y)
	for _, s := range c.Series {
		d.series(s)
	}
	d.legend(c.Series)
	d.f("</svg>\n")
	_, err := w.Write(d.Bytes())
	return err
}

// style gives every colour a class, which a dark background changes.
func style() string {
	var b strings.Builder
	rules := func(ground, ink, grid string, colours [Colours]string) {
		fmt.Fprintf(&b, ".ground{fill:%s}.ink{fill:%s}.axis{stroke:%s}.grid{stroke:%s}", ground, ink, ink, grid)
		for i, c := range colours {
			fmt.Fprintf(&b, ".d%d{fill:%s}.l%d{stroke:%s}", i, c, i, c)
		}
	}
	rules("#ffffff", "#222222", "#dddddd", onLight)
	b.WriteString("\n@media (prefers-color-scheme:dark){")
	rules("#161616", "#dddddd", "#3a3a3a", onDark)
	b.WriteString("}\n")
	return b.String()
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
	const mostDots = 1.6 // times what else there is
	if most == 0 {
		most = dots
	}
	return newAxis(low, high, 8), newAxis(0, min(max(most, dots), mostDots*most), 6)
}

// finite reports whether the point can be drawn.
func (p Point) finite() bool {
	const most = 1e30
	return math.Abs(p.X) < most && math.Abs(p.Y) < most
}

// drawing is the text of an SVG file.
type drawing struct {
	bytes.Buffer
	x, y axis
}

func (d *drawing) f(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *drawing) px(v float64) float64 {
	return left + d.x.share(v)*(pictureWidth-left-right)
}

func (d *drawing) py(v float64) float64 {
	return pictureHeight - bottom - d.y.share(v)*(pictureHeight-top-bottom)
}

func (d *drawing) axes(x, y string) {
	const width, height = pictureWidth - right, pictureHeight - bottom
	for _, v := range d.x.ticks() {
		d.f(`<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, d.px(v), top, d.px(v), height)
		d.f(`<text class="ink" x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", d.px(v), height+18, d.x.text(v))
	}
	for _, v := range d.y.ticks() {
		d.f(`<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`, left, d.py(v), width, d.py(v))
		d.f(`<text class="ink" x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-7, d.py(v)+4, d.y.text(v))
	}
	d.f(`<path class="axis" fill="none" d="M%d %dV%dH%d"/>`+"\n", left, top, height, width)
	d.f(`<text class="ink" x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (left+width)/2, pictureHeight-14, escape(x))
	d.f(`<text class="ink" transform="translate(20 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (top+height)/2, escape(y))
}

func (d *drawing) series(s Series) {
	switch s.Mark {
	case Dots, Discs:
		radius, opacity := 1.8, 0.45
		if s.Mark == Discs {
			radius, opacity = 4, 1
		}
		d.f(`<g class="d%d" fill-opacity="%g">`, s.Colour, opacity)
		for _, p := range s.Points {
			if p.finite() && p.Y <= d.y.high {
				d.f(`<circle cx="%.1f" cy="%.1f" r="%g"/>`, d.px(p.X), d.py(p.Y), radius)
			}
		}
		d.f("</g>\n")
	default:
		d.f(`<polyline class="l%d" fill="none" stroke-width="2"%s points="`, s.Colour, dashes(s.Mark))
		for _, p := range s.Points {
			if p.finite() {
				d.f("%.1f,%.1f ", d.px(p.X), d.py(p.Y))
			}
		}
		d.f("\"/>\n")
	}
}

func dashes(m Mark) string {
	if m == Dashes {
		return ` stroke-dasharray="7 5"`
	}
	return ""
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
	y := top + 12
	for _, s := range all {
		if s.Name == "" {
			continue
		}
		switch s.Mark {
		case Dots, Discs:
			d.f(`<circle class="d%d" cx="%d" cy="%d" r="%g"/>`, s.Colour, x+14, y-4, map[Mark]float64{Dots: 2, Discs: 4}[s.Mark])
		default:
			d.f(`<path class="l%d" stroke-width="2"%s d="M%d %dh24"/>`, s.Colour, dashes(s.Mark), x+2, y-4)
		}
		d.f(`<text class="ink" x="%d" y="%d">%s</text>`+"\n", x+34, y, escape(s.Name))
		y += 20
	}
}

// escape makes text fit for XML. What XML cannot hold becomes a replacement character.
func escape(text string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(text)) // a buffer never fails
	return b.String()
}
