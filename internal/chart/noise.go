package chart

import (
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// Noise is what is known about the noise of an image.
type Noise struct {
	Curve  noisecurve.Curve
	Result denoise.Result
	Full   float64 // full scale of the samples in the unit of the file (see denoise.FullScale)
}

// scale returns the factor from samples to the numbers of the chart, and their name. Photon noise is given in levels of the file,
// all other noise in grey levels of 0-255.
func (n Noise) scale() (float64, string) {
	if n.Result.Noise == denoise.Poisson {
		return n.Full, "levels of the file"
	}
	return 255, "levels of 0-255"
}

// Level returns the standard deviation of the noise at a brightness, both in the numbers of the chart.
func (n Noise) Level(brightness float64) float64 {
	switch p := n.Result.Photons; n.Result.Noise {
	case denoise.Poisson:
		return math.Sqrt(max(0, p.Gain*(brightness-p.Offset)) + p.ReadNoise*p.ReadNoise)
	case denoise.None:
		return 0
	}
	return n.Result.Sigma
}

// SVG draws dots for the noise that was measured at each brightness, and a line for the noise that will be removed.
func (n Noise) SVG() string {
	scale, unit := n.scale()
	low, high := scale*n.Curve.Low, scale*n.Curve.High
	if !(high > low) {
		low, high = 0, scale
	}
	most := 0.0
	for _, p := range n.Curve.Points {
		most = max(most, scale*math.Sqrt(max(0, p.Variance)))
	}
	most = 1.15 * max(most, n.Level(low), n.Level(high), scale/2550)
	f := begin(n.title(low, high), low, high, 0, most)
	f.axes("brightness, "+unit, "noise")
	f.line(n, low, high)
	f.WriteString(`<g class="dots">`)
	for _, p := range n.Curve.Points {
		class := ""
		if !p.Settled() {
			class = ` class="bound"`
		}
		sigma := scale * math.Sqrt(max(0, p.Variance))
		fmt.Fprintf(f, `<circle%s cx="%.1f" cy="%.1f" r="2.4"/>`, class, f.x(scale*p.Level), f.y(sigma))
	}
	f.WriteString("</g>")
	return f.end()
}

func (f *frame) line(n Noise, low, high float64) {
	if n.Result.Noise == denoise.None {
		return
	}
	const steps = 40
	f.WriteString(`<path class="line" d="`)
	for i := range steps + 1 {
		v := low + (high-low)*float64(i)/steps
		letter := "L"
		if i == 0 {
			letter = "M"
		}
		fmt.Fprintf(f, "%s%.1f %.1f", letter, f.x(v), f.y(n.Level(v)))
	}
	f.WriteString(`"/>`)
}

// title says in words what the chart shows.
func (n Noise) title(low, high float64) string {
	_, unit := n.scale()
	text := fmt.Sprintf("Noise over brightness: %v.", n.Result)
	if points := n.Curve.Points; len(points) > 0 {
		scale, _ := n.scale()
		first, last := points[0], points[len(points)-1]
		text += fmt.Sprintf(" Measured %s at brightness %s and %s at %s, %s.",
			round(scale*math.Sqrt(max(0, first.Variance))), round(scale*first.Level),
			round(scale*math.Sqrt(max(0, last.Variance))), round(scale*last.Level), unit)
	}
	if n.Result.Noise == denoise.Poisson {
		text += fmt.Sprintf(" The line goes from %s to %s.", round(n.Level(low)), round(n.Level(high)))
	}
	return text
}

func round(v float64) string { return fmt.Sprintf("%.3g", v) }
