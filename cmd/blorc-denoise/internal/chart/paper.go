package chart

import (
	"fmt"
	goimage "image"
	"strconv"
)

// paper is what charts are drawn on.
type paper interface {
	// line draws a line through points.
	line(p paint, s stroke, points []Point)
	// area fills a polygon.
	area(p paint, points []Point)
	discs(p paint, radius, opacity float64, at []Point)
	// text writes in ink. The place is at the foot of the letters.
	text(x, y float64, l label)
	// picture draws an image that is as large as it has pixels.
	picture(x, y float64, img *goimage.NRGBA)
}

// paint is a colour, which may be another one on a dark background.
type paint int

const (
	ground paint = iota
	ink
	grid
	first // colour 0 of series
)

func colour(i int) paint { return first + paint(i) }

// String names the paint in classes: by a word, or a series by its number.
func (p paint) String() string {
	if p >= first {
		return strconv.Itoa(int(p - first))
	}
	return [...]string{"ground", "ink", "grid"}[p]
}

// The colours of all paints. Those of series are of M. Okabe and K. Ito, which people with any kind of colour vision
// can tell apart.
var (
	onLight = [first + Colours]string{
		"#ffffff", "#222222", "#dddddd", "#0072b2", "#d55e00", "#008060", "#a8518a", "#8a6d00", "#3b7ea1",
	}
	onDark = [first + Colours]string{
		"#161616", "#dddddd", "#3a3a3a", "#56b4e9", "#f0864a", "#3fc79a", "#dd9bc4", "#e6c229", "#9fd3f2",
	}
)

// stroke is how a line looks.
type stroke struct {
	width  float64
	dashed bool
}

var thin = stroke{1, false}

// dash is how long the dashes of a line and the gaps between them are.
var dash = [2]float64{7, 5}

// label is a line of text.
type label struct {
	Text    string
	Anchor  anchor
	Size    float64 // of the letters; 0 = textSize
	Upwards bool    // it is read from below
}

const textSize, titleSize = 13, 15

func (l label) size() float64 {
	if l.Size == 0 {
		return textSize
	}
	return l.Size
}

// anchor is the part of a text that stands at its place.
type anchor int

const (
	start anchor = iota
	middle
	end
)

func (a anchor) String() string { return [...]string{"start", "middle", "end"}[a] }

// moved is a part of a paper that begins at a place.
type moved struct {
	paper
	x, y float64
}

func (m moved) all(points []Point) []Point {
	out := make([]Point, len(points))
	for i, p := range points {
		out[i] = Point{p.X + m.x, p.Y + m.y}
	}
	return out
}

func (m moved) line(p paint, s stroke, points []Point) { m.paper.line(p, s, m.all(points)) }
func (m moved) area(p paint, points []Point)           { m.paper.area(p, m.all(points)) }
func (m moved) discs(p paint, radius, opacity float64, at []Point) {
	m.paper.discs(p, radius, opacity, m.all(at))
}
func (m moved) text(x, y float64, l label)               { m.paper.text(x+m.x, y+m.y, l) }
func (m moved) picture(x, y float64, img *goimage.NRGBA) { m.paper.picture(x+m.x, y+m.y, img) }

// hex returns the parts of a colour such as #0072b2.
func hex(text string) (r, g, b byte) {
	if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &r, &g, &b); err != nil {
		panic(err) // the colours are constants
	}
	return r, g, b
}
