package chart

import (
	goimage "image"
	"image/color"
	"io"
	"math"
	"slices"
)

// Figure is one map or more over a picture, with a scale that they share, beside a chart.
type Figure struct {
	Title string
	Scale string // says what the colours of the maps mean
	Maps  []Map
	Chart Chart // its title is left out
	Notes []string
}

// Map is a grid of values over a picture.
type Map struct {
	Title         string
	Picture       *goimage.Gray // as large as it is drawn; see MapSize
	Columns, Rows int
	Side          float64   // of a cell in pixels of the picture; the last cells reach to its edges
	Values        []float64 // of each cell, row by row; NaN = there is none
	None          string    // what it means that there is none
}

// MapSize is the largest size of the picture of a map.
const MapSize = 380

// Sizes around maps.
const (
	gap       = 20 // between parts of a figure
	lineSpace = 20 // between lines of text
	barHeight = 12 // of the scale of colours
)

// WriteSVG writes the figure as an SVG file.
func (f Figure) WriteSVG(w io.Writer) error {
	width, height := f.size()
	p := newSVG(w, f.Title, width, height, true)
	f.draw(p)
	return p.end()
}

// WritePNG writes the figure as a PNG file with a white background.
func (f Figure) WritePNG(w io.Writer) error {
	width, height := f.size()
	p := newRaster(width, height)
	f.draw(p)
	return p.writeTo(w)
}

// mapsHeight is the height of all maps and of the scale below them.
func (f Figure) mapsHeight() int {
	h := 0
	for _, m := range f.Maps {
		h += lineSpace + m.Picture.Rect.Dy() + gap
	}
	return h + barHeight + 3*lineSpace
}

func (f Figure) size() (width, height int) {
	chart := int(onFile.height) + lineSpace*len(f.Notes)
	return gap + MapSize + gap + int(onFile.width) + f.Chart.legendWidth(), 2*gap + max(f.mapsHeight(), chart) + gap
}

func (f Figure) draw(p paper) {
	p.text(gap, 26, label{Text: f.Title, Size: titleSize})
	scale := scaleOf(f.most())
	y := 2.0 * gap
	none := ""
	for _, m := range f.Maps {
		p.text(gap, y+textSize, label{Text: m.Title})
		y += lineSpace
		p.picture(gap, y, m.draw(scale))
		y += float64(m.Picture.Rect.Dy() + gap)
		if m.hasNone() {
			none = m.None
		}
	}
	f.drawScale(moved{p, gap, y}, scale, none)
	chart := moved{p, gap + MapSize + gap, gap / 2}
	f.Chart.draw(chart, onFile)
	for i, n := range f.Notes {
		chart.text(onFile.left, onFile.height+float64(lineSpace*(i+1)), label{Text: n})
	}
}

// most returns the largest value of all maps.
func (f Figure) most() float64 {
	most := 0.0
	for _, m := range f.Maps {
		most = max(most, Most(m.Values))
	}
	return most
}

// Most returns the largest value of a map, or 0.
func Most(values []float64) float64 {
	most := 0.0
	for _, v := range values {
		if isFinite(v) {
			most = max(most, v)
		}
	}
	return most
}

// drawScale draws a bar of all colours with their values.
func (f Figure) drawScale(p paper, scale axis, none string) {
	width := MapSize
	if none != "" {
		width = MapSize * 3 / 5
	}
	p.picture(0, 0, painted(width, barHeight, func(x, _ int) color.NRGBA {
		return over(Hue(float64(x)/float64(width-1)), 128)
	}))
	for i, v := range scale.ticks() {
		a := middle
		switch i {
		case 0:
			a = start
		case len(scale.ticks()) - 1:
			a = end
		}
		p.text(scale.share(v)*float64(width), barHeight+15, label{Text: scale.text(v), Anchor: a})
	}
	p.text(0, barHeight+15+lineSpace, label{Text: f.Scale})
	if none == "" {
		return
	}
	p.picture(float64(width+gap), 0, painted(2*barHeight, barHeight, func(x, y int) color.NRGBA {
		return hatched(x, y, 128)
	}))
	p.text(float64(width+2*gap+barHeight), barHeight-1, label{Text: none})
}

func (m Map) hasNone() bool { return slices.ContainsFunc(m.Values, math.IsNaN) }

// draw lays the colours of the cells over the picture.
func (m Map) draw(scale axis) *goimage.NRGBA {
	cell := func(at, count int) int { return min(int((float64(at)+0.5)/m.Side), count-1) }
	return painted(m.Picture.Rect.Dx(), m.Picture.Rect.Dy(), func(x, y int) color.NRGBA {
		gray, v := m.Picture.GrayAt(x, y).Y, m.Values[cell(y, m.Rows)*m.Columns+cell(x, m.Columns)]
		if math.IsNaN(v) {
			return hatched(x, y, gray)
		}
		return over(Hue(scale.share(v)), gray)
	})
}

// painted returns a picture of colours.
func painted(width, height int, at func(x, y int) color.NRGBA) *goimage.NRGBA {
	out := goimage.NewNRGBA(goimage.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			out.SetNRGBA(x, y, at(x, y))
		}
	}
	return out
}

// hues are colours from dark blue to yellow, which also differ in brightness.
var hues = [...]color.NRGBA{
	{20, 24, 82, 255}, {60, 40, 140, 255}, {150, 45, 130, 255}, {225, 85, 80, 255}, {250, 160, 50, 255},
	{255, 240, 120, 255},
}

// Hue returns the colour of a value of a map, as a share of the end of its scale.
func Hue(share float64) color.NRGBA {
	at := min(max(share, 0), 1) * float64(len(hues)-1)
	i := min(int(at), len(hues)-2)
	return mixed(hues[i], hues[i+1], at-float64(i))
}

// over mixes a colour with what is below it, so that both are seen.
func over(c color.NRGBA, gray byte) color.NRGBA {
	return mixed(c, color.NRGBA{gray, gray, gray, 255}, 0.35)
}

// mixed returns a colour with a share of another one.
func mixed(a, b color.NRGBA, share float64) color.NRGBA {
	mix := func(a, b byte) byte { return byte(math.Round(float64(a) + share*(float64(b)-float64(a)))) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// hatched returns a pixel of stripes over a picture.
func hatched(x, y int, gray byte) color.NRGBA {
	v := byte(128 + int(gray)/4)
	if (x+y)/4%2 == 0 {
		v = 235
	}
	return color.NRGBA{v, v, v, 255}
}

// scaleOf returns the scale of maps whose largest value is most.
func scaleOf(most float64) axis { return newAxis(0, most, 4).rounded() }

// ScaleEnd returns where the scale of a map ends whose largest value is most, and the same in words.
func ScaleEnd(most float64) (float64, string) {
	a := scaleOf(most)
	return a.high, a.text(a.high)
}
