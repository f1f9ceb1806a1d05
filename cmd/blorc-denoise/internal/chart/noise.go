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
	Full   float64 // full scale of the samples in the unit of the file (see imageio.Image.FullScale)
}

const unit = "levels of the file"

// SVG draws dots for the noise that was measured at each brightness, and a line for the noise that will be removed.
// Noise of cameras has no line, since its level is not a standard deviation.
func (n Noise) SVG() string {
	low, high := n.Full*n.Curve.Low, n.Full*n.Curve.High
	if !(high > low) {
		low, high = 0, n.Full
	}
	line := n.line(low, high)
	most := n.Full / 2550
	for _, p := range n.Curve.Points {
		most = max(most, n.Full*math.Sqrt(max(0, p.Variance)))
	}
	for _, sigma := range line {
		most = max(most, sigma)
	}
	f := begin(n.title(line), low, high, 0, 1.15*most)
	f.axes("brightness, "+unit, "noise")
	f.line(line)
	f.WriteString(`<g class="dots">`)
	for _, p := range n.Curve.Points {
		class := ""
		if !p.Settled() {
			class = ` class="bound"`
		}
		sigma := n.Full * math.Sqrt(max(0, p.Variance))
		fmt.Fprintf(f, `<circle%s cx="%.1f" cy="%.1f" r="2.4"/>`, class, f.x(n.Full*p.Level), f.y(sigma))
	}
	f.WriteString("</g>")
	return f.end()
}

// line returns the noise that will be removed at some brightnesses, evenly from low to high. It returns nil if there is
// none, or if its standard deviation is not known.
func (n Noise) line(low, high float64) (sigmas []float64) {
	const steps = 40
	for i := range steps + 1 {
		sigma, ok := n.Result.At(low + (high-low)*float64(i)/steps)
		if !ok || n.Result.Noise == denoise.None {
			return nil
		}
		sigmas = append(sigmas, sigma)
	}
	return sigmas
}

// line draws values that are spread evenly over the range of x.
func (f *frame) line(values []float64) {
	for i, v := range values {
		command := "L"
		if i == 0 {
			command = `<path class="line" d="M`
		}
		x := f.x0 + (f.x1-f.x0)*float64(i)/float64(len(values)-1)
		fmt.Fprintf(f, "%s%.1f %.1f", command, f.x(x), f.y(v))
	}
	if len(values) > 0 {
		f.WriteString(`"/>`)
	}
}

// title says in words what the chart shows.
func (n Noise) title(line []float64) string {
	text := fmt.Sprintf("Noise over brightness: %v.", n.Result)
	if points := n.Curve.Points; len(points) > 0 {
		first, last := points[0], points[len(points)-1]
		text += fmt.Sprintf(" Measured %s at brightness %s and %s at %s, %s.",
			round(n.Full*math.Sqrt(max(0, first.Variance))), round(n.Full*first.Level),
			round(n.Full*math.Sqrt(max(0, last.Variance))), round(n.Full*last.Level), unit)
	}
	if len(line) > 0 && line[0] != line[len(line)-1] {
		text += fmt.Sprintf(" The line goes from %s to %s.", round(line[0]), round(line[len(line)-1]))
	}
	return text
}

func round(v float64) string { return fmt.Sprintf("%.3g", v) }
