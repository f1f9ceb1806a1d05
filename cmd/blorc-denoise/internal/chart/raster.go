package chart

import (
	goimage "image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// raster is paper that becomes a PNG file. It is white.
type raster struct{ *goimage.NRGBA }

func newRaster(width, height int) raster {
	r := raster{goimage.NewNRGBA(goimage.Rect(0, 0, width, height))}
	draw.Draw(r, r.Rect, goimage.NewUniform(ground.onWhite(255)), goimage.Point{}, draw.Src)
	return r
}

func (r raster) writeTo(w io.Writer) error { return png.Encode(w, r.NRGBA) }

// onWhite returns the colour for a light background.
func (p paint) onWhite(alpha byte) color.NRGBA {
	red, green, blue := hex(onLight[p])
	return color.NRGBA{red, green, blue, alpha}
}

// line draws a line without dashes, which no figure has.
func (r raster) line(p paint, s stroke, points []Point) {
	for i := 1; i < len(points); i++ {
		r.bar(p, s.width/2, points[i-1], points[i])
	}
}

// bar fills what is at most half a width away from a line, and a little beyond its ends, so that lines join.
func (r raster) bar(p paint, half float64, from, to Point) {
	length := math.Hypot(to.X-from.X, to.Y-from.Y)
	if length == 0 {
		return
	}
	x, y := half*(to.X-from.X)/length, half*(to.Y-from.Y)/length
	from, to = Point{from.X - x, from.Y - y}, Point{to.X + x, to.Y + y}
	r.area(p, []Point{{from.X - y, from.Y + x}, {to.X - y, to.Y + x}, {to.X + y, to.Y - x}, {from.X + y, from.Y - x}})
}

func (r raster) discs(p paint, radius, opacity float64, at []Point) {
	const corners = 24
	for _, c := range at {
		var points []Point
		for i := range corners {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
			points = append(points, Point{c.X + radius*cos, c.Y + radius*sin})
		}
		r.fill(p, byte(255*opacity), points)
	}
}

func (r raster) area(p paint, points []Point) { r.fill(p, 255, points) }

// fill fills a polygon.
func (r raster) fill(p paint, alpha byte, points []Point) {
	low, high := points[0], points[0]
	for _, q := range points {
		low = Point{min(low.X, q.X), min(low.Y, q.Y)}
		high = Point{max(high.X, q.X), max(high.Y, q.Y)}
	}
	box := goimage.Rect(int(low.X)-1, int(low.Y)-1, int(high.X)+2, int(high.Y)+2).Intersect(r.Rect)
	if box.Empty() {
		return
	}
	v := vector.NewRasterizer(box.Dx(), box.Dy())
	for i, q := range points {
		x, y := float32(q.X)-float32(box.Min.X), float32(q.Y)-float32(box.Min.Y)
		if i == 0 {
			v.MoveTo(x, y)
		} else {
			v.LineTo(x, y)
		}
	}
	v.ClosePath()
	v.Draw(r, box, goimage.NewUniform(p.onWhite(alpha)), goimage.Point{})
}

// letters is the font of package gofont.
var letters = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err) // it is a part of the program
	}
	return f
})

func (r raster) text(x, y float64, l label) {
	face, err := opentype.NewFace(letters(), &opentype.FaceOptions{Size: l.size(), DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic(err) // the options are constants
	}
	defer face.Close()
	width := font.MeasureString(face, l.Text).Ceil()
	before := width * int(l.Anchor) / 2
	m := face.Metrics()
	line := goimage.NewAlpha(goimage.Rect(0, 0, width, m.Ascent.Ceil()+m.Descent.Ceil()))
	d := font.Drawer{Dst: line, Src: goimage.Opaque, Face: face, Dot: fixed.P(0, m.Ascent.Ceil())}
	d.DrawString(l.Text)
	at := goimage.Pt(int(math.Round(x))-before, int(math.Round(y))-m.Ascent.Ceil())
	if l.Upwards {
		line = turned(line)
		at = goimage.Pt(int(math.Round(x))-m.Ascent.Ceil(), int(math.Round(y))-(width-before))
	}
	black := goimage.NewUniform(ink.onWhite(255))
	draw.DrawMask(r, line.Rect.Add(at), black, goimage.Point{}, line, goimage.Point{}, draw.Over)
}

// turned turns a picture by a quarter to the left.
func turned(p *goimage.Alpha) *goimage.Alpha {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	out := goimage.NewAlpha(goimage.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			out.SetAlpha(y, w-1-x, p.AlphaAt(x, y))
		}
	}
	return out
}

func (r raster) picture(x, y float64, img *goimage.NRGBA) {
	at := goimage.Pt(int(math.Round(x)), int(math.Round(y)))
	draw.Draw(r, goimage.Rectangle{Max: img.Rect.Size()}.Add(at), img, img.Rect.Min, draw.Over)
}
