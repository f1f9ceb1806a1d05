package plot

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	goimage "image"
	"image/png"
	"io"
	"strings"
)

// svgPaper is paper that becomes an SVG file.
type svgPaper struct{ bytes.Buffer }

func newSVG(title string, width, height int) *svgPaper {
	s := &svgPaper{}
	s.f(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" `, width, height, width,
		height)
	s.f(`font-family="sans-serif" font-size="%d">`+"\n", textSize)
	s.f("<title>%s</title>\n<style>\n%s</style>\n", escape(title), style())
	s.f(`<rect class="ground" width="%d" height="%d"/>`+"\n", width, height)
	return s
}

// style gives every colour a class, which a dark background changes.
func style() string {
	var b strings.Builder
	rules := func(colours [first + Colours]string) {
		fmt.Fprintf(&b, ".ground{fill:%s}.ink{fill:%s}", colours[ground], colours[ink])
		for i, c := range colours {
			fmt.Fprintf(&b, ".d%d{fill:%s}.l%d{stroke:%s}", i, c, i, c)
		}
	}
	rules(onLight)
	b.WriteString("\n@media (prefers-color-scheme:dark){")
	rules(onDark)
	b.WriteString("}\n")
	return b.String()
}

func (s *svgPaper) f(format string, args ...any) { fmt.Fprintf(s, format, args...) }

func (s *svgPaper) writeTo(w io.Writer) error {
	s.f("</svg>\n")
	_, err := w.Write(s.Bytes())
	return err
}

func (s *svgPaper) line(p paint, k stroke, points []Point) {
	dashes := ""
	if k.dashed {
		dashes = fmt.Sprintf(` stroke-dasharray="%g %g"`, dash[0], dash[1])
	}
	s.f(`<polyline class="l%d" fill="none" stroke-width="%g"%s points="`, p, k.width, dashes)
	for _, at := range points {
		s.f("%.1f,%.1f ", at.X, at.Y)
	}
	s.f("\"/>\n")
}

func (s *svgPaper) discs(p paint, radius, opacity float64, at []Point) {
	s.f(`<g class="d%d" fill-opacity="%g">`, p, opacity)
	for _, c := range at {
		s.f(`<circle cx="%.1f" cy="%.1f" r="%g"/>`, c.X, c.Y, radius)
	}
	s.f("</g>\n")
}

func (s *svgPaper) text(x, y float64, l label) {
	place := fmt.Sprintf(`x="%.1f" y="%.1f"`, x, y)
	if l.Upwards {
		place = fmt.Sprintf(`transform="translate(%.1f %.1f) rotate(-90)"`, x, y)
	}
	s.f(`<text class="ink" %s text-anchor="%v" font-size="%g">`, place, l.Anchor, l.size())
	s.f("%s</text>\n", escape(l.Text))
}

func (s *svgPaper) picture(x, y float64, img *goimage.NRGBA) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // a buffer never fails, and the image has pixels
	}
	s.f(`<image x="%.1f" y="%.1f" width="%d" height="%d" href="data:image/png;base64,%s"/>`+"\n",
		x, y, img.Rect.Dx(), img.Rect.Dy(), base64.StdEncoding.EncodeToString(b.Bytes()))
}

// escape makes text fit for XML. What XML cannot hold becomes a replacement character.
func escape(text string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(text)) // a buffer never fails
	return b.String()
}
