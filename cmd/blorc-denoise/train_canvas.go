package main

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// canvas is what curves are drawn on: white, in pixels from its top left corner.
type canvas interface {
	line(points []curvePoint, width float64, ink color.RGBA)
	text(x, y float64, at anchor, s string, ink color.RGBA) // y is that of the base line
	encode(io.Writer) error
}

type curvePoint struct{ x, y float64 }

// anchor says which part of a text is at its place: the share of its width that is before it.
type anchor float64

const (
	anchorStart  anchor = 0
	anchorMiddle anchor = 0.5
	anchorEnd    anchor = 1
)

// svgCanvas writes SVG 1.1.
type svgCanvas struct{ strings.Builder }

func newSVGCanvas(width, height int) canvas {
	c := &svgCanvas{}
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" font-family="monospace" font-size="12">`+
		"\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", width, height)
	return c
}

func svgColour(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func (c *svgCanvas) line(points []curvePoint, width float64, ink color.RGBA) {
	fmt.Fprintf(c, `<polyline fill="none" stroke="%s" stroke-width="%g" points="`, svgColour(ink), width)
	for _, p := range points {
		fmt.Fprintf(c, "%.1f,%.1f ", p.x, p.y)
	}
	c.WriteString("\"/>\n")
}

func (c *svgCanvas) text(x, y float64, at anchor, s string, ink color.RGBA) {
	name := map[anchor]string{anchorStart: "start", anchorMiddle: "middle", anchorEnd: "end"}[at]
	fmt.Fprintf(c, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y, name, svgColour(ink), html.EscapeString(s))
}

func (c *svgCanvas) encode(w io.Writer) error {
	_, err := io.WriteString(w, c.String()+"</svg>\n")
	return err
}

// pngCanvas draws with a bitmap font, so that no font files are needed.
type pngCanvas struct{ *image.RGBA }

func newPNGCanvas(width, height int) canvas {
	c := pngCanvas{image.NewRGBA(image.Rect(0, 0, width, height))}
	draw.Draw(c, c.Rect, image.White, image.Point{}, draw.Src)
	return c
}

// line fills a rectangle along each part.
func (c pngCanvas) line(points []curvePoint, width float64, ink color.RGBA) {
	if len(points) == 0 {
		return
	}
	r := vector.NewRasterizer(c.Rect.Dx(), c.Rect.Dy())
	for i, to := range points[1:] {
		from := points[i]
		dx, dy := to.x-from.x, to.y-from.y
		length := math.Hypot(dx, dy)
		if length == 0 {
			continue
		}
		dx, dy = dx*width/2/length, dy*width/2/length
		r.MoveTo(float32(from.x-dy), float32(from.y+dx))
		r.LineTo(float32(to.x-dy), float32(to.y+dx))
		r.LineTo(float32(to.x+dy), float32(to.y-dx))
		r.LineTo(float32(from.x+dy), float32(from.y-dx))
		r.ClosePath()
	}
	r.Draw(c, c.Rect, image.NewUniform(ink), image.Point{})
}

func (c pngCanvas) text(x, y float64, at anchor, s string, ink color.RGBA) {
	d := font.Drawer{Dst: c, Src: image.NewUniform(ink), Face: basicfont.Face7x13}
	x -= float64(at) * float64(d.MeasureString(s)) / 64
	d.Dot = fixed.P(int(math.Round(x)), int(math.Round(y)))
	d.DrawString(s)
}

func (c pngCanvas) encode(w io.Writer) error { return png.Encode(w, c) }
