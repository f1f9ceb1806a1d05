package denoise

import (
	"context"
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
	"github.com/blorc-denoise/blorc-denoise/internal/noisemap"
)

// NoiseMap is the noise of an image by place, by brightness and by scale. Gray levels and standard deviations are in
// the unit of the file.
type NoiseMap struct {
	Area          goimage.Rectangle // of the map: the image without what a damaged file lacks
	Side          int               // of a cell in samples; the last cells of rows and columns reach to the edges
	Columns, Rows int               // of cells
	// Parts are the brightness and the colours, if red, green and blue are denoised together, and each plane that is
	// denoised. There is none if no plane is denoised.
	Parts []NoisePart
}

// NoisePart is the noise of a plane, of the brightness (the mean of red, green and blue), or of the colours (the
// differences from that mean, as root mean square over the three).
type NoisePart struct {
	Name   string    // "luma", "colours", "red", "green", "blue", "gray" or "plane 1"
	Cells  []float64 // root mean square of the noise in each cell, row by row; NaN where a cell has no valid sample
	Levels []float64 // gray levels, rising; at each the noise has a standard deviation
	Sigmas []float64
	Scales [3]float64 // root mean square at full size, and of means over 2 x 2 and 4 x 4; white noise halves each time
}

// Map returns the noise of the image that was analysed. For given white noise and for photon noise, the strength is
// known. For all other noise, Map measures what the quality Fast removes, and takes as long as that.
func (a *Analysis) Map(ctx context.Context, img *imageio.Image) (m NoiseMap, err error) {
	defer crash.Catch(&err)
	if err := a.check(ctx, img); err != nil {
		return NoiseMap{}, err
	}
	if a.raw != nil {
		return NoiseMap{}, unsupportedMosaic("shown in a noise map")
	}
	if a.fields != nil || a.corner != (goimage.Point{}) {
		return NoiseMap{}, badArgument("a noise map is neither of fields nor of a picture that repeats")
	}
	p := a.picture
	if p.inks != nil {
		p = p.inks.light
	}
	cells := noisemap.CellsOf(p.there.Dx(), p.there.Dy())
	m = NoiseMap{Area: p.there, Side: cells.Side, Columns: cells.Columns, Rows: cells.Rows}
	full := img.FullScale(a.o.Read.White) * p.scale
	for i, g := range p.groups.groups {
		parts, curves, err := p.measureChannel(ctx, &p.channels[i])
		if err != nil {
			return NoiseMap{}, err
		}
		if len(g) == 3 {
			m.Parts = append(m.Parts, newPart("luma", parts.Luma, noisemap.CurveOf(parts.Luma), cells, full),
				newPart("colours", parts.Colours, noisemap.CurveOf(parts.Colours), cells, full))
		}
		for k, plane := range g {
			m.Parts = append(m.Parts, newPart(p.nameOf(plane), parts.Planes[k], curves[k], cells, full))
		}
	}
	return m, nil
}

// nameOf returns the name of a plane.
func (p *picture) nameOf(plane int) string {
	switch g := p.groups.groups; {
	case len(g) == 1 && len(g[0]) == 1: // others are copies of it, or are computed from it
		return "gray"
	case len(p.img.Planes) == 3:
		return [3]string{"red", "green", "blue"}[plane]
	}
	return "plane " + string(rune('1'+plane))
}

func newPart(name string, blocks []noisemap.Block, c noisemap.Curve, cells noisemap.Cells, full float64) NoisePart {
	p := NoisePart{name, cells.RMS(blocks), c.Levels, c.Sigmas, noisemap.RMS(blocks)}
	for _, values := range [][]float64{p.Cells, p.Levels, p.Sigmas, p.Scales[:]} {
		for i := range values {
			values[i] *= full
		}
	}
	return p
}

// measureChannel returns the noise of the planes of a channel, and the curve of each. For white noise that was found,
// the strength is known, and the residual gives the places.
func (p *picture) measureChannel(ctx context.Context, c *channel) (noisemap.Parts, []noisemap.Curve, error) {
	workers := p.j.Workers
	noisy := noisemap.Picture{Noisy: c.planes, Width: c.width, Height: c.height, Left: p.leftOf(c)}
	sigma, sure := c.noise.deviation(len(c.planes))
	if sure {
		parts := noisemap.Known(ctx, noisy, sigma, workers)
		return parts, curvesOf(parts, sigma), ctx.Err()
	}
	quick := job{Options: Options{Models: p.j.Models, Quality: Fast, KeepMean: true, Workers: workers}, ctx: ctx}
	_, samples, err := p.removeChannel(quick, c, p.there, 0, false)
	if err != nil {
		return noisemap.Parts{}, nil, err
	}
	noisy.Result = samples
	parts := noisemap.Measure(ctx, noisy, workers)
	return parts, curvesOf(parts, sigma), ctx.Err()
}

// curvesOf returns the curve of each plane: that of its blocks, or of noise whose strength is known.
func curvesOf(parts noisemap.Parts, sigma func(plane int, level float64) float64) (curves []noisemap.Curve) {
	for plane, blocks := range parts.Planes {
		c := noisemap.CurveOf(blocks)
		if sigma != nil {
			for i, level := range c.Levels {
				c.Sigmas[i] = sigma(plane, level)
			}
		}
		curves = append(curves, c)
	}
	return curves
}

// leftOf returns which samples of a channel are invalid, or nil for none.
func (p *picture) leftOf(c *channel) func(i int) bool {
	all := goimage.Rect(0, 0, c.width, c.height)
	if !p.groups.drawn.Some() {
		return leftOf(c.invalid, all, c.width)
	}
	drawn := [][]float32{make([]float32, c.width*c.height)}
	ones := [][]float32{slices.Repeat([]float32{1}, c.width*c.height)}
	p.groups.drawn.Restore(drawn, ones, all)
	return func(i int) bool { return drawn[0][i] != 0 || c.invalid.Has(i) }
}
