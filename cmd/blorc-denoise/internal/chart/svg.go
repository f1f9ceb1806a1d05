package chart

import (
	"bytes"
	"encoding/base64"
	"fmt"
	goimage "image"
	"image/png"
	"io"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/markup"
)

// svgPaper is paper that becomes SVG.
type svgPaper struct{ markup.Writer }

// newSVG returns paper for a part of a page, which gives the colours, or for a file that stands alone.
func newSVG(w io.Writer, title string, width, height int, alone bool) svgPaper {
	s := svgPaper{markup.NewWriter(w)}
	s.Put(`<svg class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s"`, width, height, title)
	if alone {
		s.Put(` xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif"`, width, height)
	}
	s.Put("><title>%s</title>\n", title)
	if alone {
		s.Put("<style>\n%s</style>\n", markup.Raw(style()))
		s.Put(`<rect class="fill-ground" width="%d" height="%d"/>`+"\n", width, height)
	}
	return s
}

func (s svgPaper) end() error {
	s.Put("</svg>\n")
	return s.Flush()
}

// style gives every colour a class, which a dark background changes.
func style() string {
	var b strings.Builder
	rules := func(colours [first + Colours]string) {
		for i, c := range colours {
			fmt.Fprintf(&b, ".fill-%v{fill:%s}.line-%v{stroke:%s}", paint(i), c, paint(i), c)
		}
	}
	rules(onLight)
	b.WriteString("\n@media (prefers-color-scheme:dark){")
	rules(onDark)
	b.WriteString("}\n")
	return b.String()
}

func (s svgPaper) line(p paint, k stroke, points []Point) {
	dashes := markup.Raw("")
	if k.dashed {
		dashes = markup.Raw(fmt.Sprintf(` stroke-dasharray="%g %g"`, dash[0], dash[1]))
	}
	s.Put(`<polyline class="line-%v" fill="none" stroke-width="%g"%s points="`, p, k.width, dashes)
	s.points(points)
}

func (s svgPaper) area(p paint, points []Point) {
	s.Put(`<polygon class="fill-%v" points="`, p)
	s.points(points)
}

func (s svgPaper) points(points []Point) {
	for _, at := range points {
		s.Put("%.1f,%.1f ", at.X, at.Y)
	}
	s.Put("\"/>\n")
}

func (s svgPaper) discs(p paint, radius, opacity float64, at []Point) {
	s.Put(`<g class="fill-%v" fill-opacity="%g">`, p, opacity)
	for _, c := range at {
		s.Put(`<circle cx="%.1f" cy="%.1f" r="%g"/>`, c.X, c.Y, radius)
	}
	s.Put("</g>\n")
}

func (s svgPaper) text(x, y float64, l label) {
	place := markup.Raw(fmt.Sprintf(`x="%.1f" y="%.1f"`, x, y))
	if l.Upwards {
		place = markup.Raw(fmt.Sprintf(`transform="translate(%.1f %.1f) rotate(-90)"`, x, y))
	}
	s.Put(`<text class="fill-ink" %s text-anchor="%v" font-size="%g">%s</text>`+"\n", place, l.Anchor, l.size(), l.Text)
}

func (s svgPaper) picture(x, y float64, img *goimage.NRGBA) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // a buffer never fails, and the image has pixels
	}
	s.Put(`<image x="%.1f" y="%.1f" width="%d" height="%d" href="data:image/png;base64,%s"/>`+"\n",
		x, y, img.Rect.Dx(), img.Rect.Dy(), markup.Raw(base64.StdEncoding.EncodeToString(b.Bytes())))
}
