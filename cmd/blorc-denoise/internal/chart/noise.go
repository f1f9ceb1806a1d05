package chart

import (
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// Noise is what is known about the noise of an image.
type Noise struct {
	Curve  noisecurve.Curve
	Result denoise.Result
	Full   float64 // full scale of the samples in the unit of the file (see imageio.Image.FullScale)
}

// OfImage returns the noise of an image, as a result tells it, for a chart. White is the full scale of float files.
func OfImage(img *imageio.Image, r denoise.Result, white float64, workers int) Noise {
	return OfCurve(img, MeasureNoise(img, workers), r, white)
}

// OfCurve is OfImage for what MeasureNoise has measured.
func OfCurve(img *imageio.Image, c noisecurve.Curve, r denoise.Result, white float64) Noise {
	if img.Mosaic != nil && r.Channels != [3]denoise.PhotonNoise{} {
		r.Photons, r.Channels = r.Channels[green], [3]denoise.PhotonNoise{}
	}
	return Noise{c, r, img.FullScale(white)}
}

// green is the number of the colour whose noise a chart of a mosaic shows.
const green = 1

// MeasureNoise measures the noise of an image over its brightness: of inks that of the first, of mosaics that of green.
func MeasureNoise(img *imageio.Image, workers int) noisecurve.Curve {
	planes, width, height := PlanesOf(img)
	if img.Mosaic != nil && len(planes) > green {
		planes = planes[green:][:1]
	}
	return noisecurve.Measure(planes, width, height, workers)
}

// PlanesOf returns the planes whose noise can be measured: of inks the first, of a mosaic red, the first green and blue
// at half the size.
func PlanesOf(img *imageio.Image) (planes [][]float32, width, height int) {
	m := img.Mosaic
	switch {
	case m != nil && !m.Gray:
		active := display.Part(img, m.Active)
		colours, width, height := mosaic.Mosaic{Pix: active.Planes[0], Width: active.Width, Height: active.Height,
			Colours: m.Colours}.Planes()
		return [][]float32{colours[0][0], colours[1][0], colours[2][0]}, width, height
	case len(img.Planes) == 4:
		return img.Planes[:1], img.Width, img.Height
	}
	return img.Planes, img.Width, img.Height
}

const unit = "levels of the file"

// SVG draws dots for the noise that was measured at each brightness, and a line for the noise that will be removed.
// Noise of cameras has no line, since its level is not a standard deviation.
func (n Noise) SVG() string {
	low, high := n.Full*n.Curve.Low, n.Full*n.Curve.High
	if !(high > low) {
		low, high = 0, n.Full
	}
	settled, bound := Series{Mark: Discs}, Series{Mark: Discs, Colour: 1}
	for i, p := range Deviations(n.Curve.Points, n.Full) {
		if n.Curve.Points[i].Settled() {
			settled.Points = append(settled.Points, p)
		} else {
			bound.Points = append(bound.Points, p)
		}
	}
	line := n.line(low, high)
	c := Chart{Title: n.title(line), X: "brightness, " + unit, Y: "noise",
		Reach: []Point{{low, 0}, {high, n.Full / 2550}}}
	c.Series = []Series{{Mark: Line, Colour: 2, Points: line}, settled, bound}
	return c.forPage()
}

// Deviations returns the standard deviation over the brightness, both in the unit of a file of this full scale.
func Deviations(points []noisecurve.Point, full float64) (out []Point) {
	for _, p := range points {
		out = append(out, Point{full * p.Level, full * math.Sqrt(max(0, p.Variance))})
	}
	return out
}

// line returns the noise that will be removed. It returns nil if there is none, or if its standard deviation is not
// known.
func (n Noise) line(low, high float64) []Point {
	if _, ok := n.Result.At(low); !ok || n.Result.Noise == denoise.None {
		return nil
	}
	return Through(low, high, func(x float64) float64 {
		sigma, _ := n.Result.At(x)
		return sigma
	})
}

// title says in words what the chart shows.
func (n Noise) title(line []Point) string {
	text := fmt.Sprintf("Noise over brightness: %v.", n.Result)
	if points := Deviations(n.Curve.Points, n.Full); len(points) > 0 {
		first, last := points[0], points[len(points)-1]
		text += fmt.Sprintf(" Measured %s at brightness %s and %s at %s, %s.", round(first.Y), round(first.X),
			round(last.Y), round(last.X), unit)
	}
	if len(line) > 0 && line[0].Y != line[len(line)-1].Y {
		text += fmt.Sprintf(" The line goes from %s to %s.", round(line[0].Y), round(line[len(line)-1].Y))
	}
	return text
}

func round(v float64) string { return fmt.Sprintf("%.3g", v) }
