package denoise

import (
	"context"
	goimage "image"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noisemap"
)

// NoiseMap says where an image has how much noise, how much there is at each brightness, and how broad it is. Levels
// and standard deviations are in the unit of the file.
type NoiseMap struct {
	Area          goimage.Rectangle // of the map: the image without what a damaged file lacks
	Side          int               // of a cell in samples; the last cells of rows and columns reach to the edges
	Columns, Rows int               // of cells
	// Parts are the brightness and the colours, if red, green and blue are denoised together, and each plane that is
	// denoised. There is none if nothing is.
	Parts []NoisePart
}

// NoisePart is the noise of a plane, of the brightness (the mean of red, green and blue), or of the colours (what
// differs from it, the root mean square over the three).
type NoisePart struct {
	Name   string    // "luma", "colours", "red", "green", "blue", "gray" or "plane 1"
	Cells  []float64 // root mean square of the noise in each cell, row by row; NaN where a cell carries no picture
	Levels []float64 // rising; at each the noise has a standard deviation
	Sigmas []float64
	Scales [3]float64 // root mean square at full size, and of means over 2 x 2 and 4 x 4; white noise halves each time
}

// Map returns the noise of the image that was analysed. White noise that was given, and photon noise, say themselves
// how strong they are. All other noise is measured from what is removed at the quality Fast, which takes as long as
// that.
func (a *Analysis) Map(ctx context.Context, img *imageio.Image) (NoiseMap, error) {
	if err := checkContext(ctx); err != nil {
		return NoiseMap{}, err
	}
	if err := checkImage(img); err != nil {
		return NoiseMap{}, err
	}
	if len(img.Planes) != a.planes || !a.there.In(goimage.Rect(0, 0, img.Width, img.Height)) {
		return NoiseMap{}, badArgument("the analysis is of another image")
	}
	if a.inks != nil {
		return a.inks.Map(ctx, a.inks.img)
	}
	with := img
	if a.filled != nil {
		with = a.filled
	}
	cells := noisemap.CellsOf(a.there.Dx(), a.there.Dy())
	m := NoiseMap{Area: a.there, Side: cells.Side, Columns: cells.Columns, Rows: cells.Rows}
	full := img.FullScale(a.o.Read.White)
	for i, g := range a.sets.groups {
		parts, curves, err := a.measureGroup(ctx, i, image{pick(with.Planes, g), img.Width, img.Height})
		if err != nil {
			return NoiseMap{}, err
		}
		if len(g) == 3 {
			m.Parts = append(m.Parts, newPart("luma", parts.Luma, noisemap.CurveOf(parts.Luma), cells, full),
				newPart("colours", parts.Colours, noisemap.CurveOf(parts.Colours), cells, full))
		}
		for j, plane := range g {
			m.Parts = append(m.Parts, newPart(a.nameOf(plane), parts.Planes[j], curves[j], cells, full))
		}
	}
	return m, nil
}

// nameOf returns the name of a plane.
func (a *Analysis) nameOf(plane int) string {
	switch {
	case len(a.sets.groups) == 1 && len(a.sets.groups[0]) == 1: // others are copies of it, or follow it
		return "gray"
	case a.planes == 3:
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

// measureGroup returns the noise of the planes of a group, and the curve of each. White noise that was found says how
// strong it is; what is removed tells where.
func (a *Analysis) measureGroup(ctx context.Context, group int, img image) (noisemap.Parts, []noisemap.Curve, error) {
	workers, size := a.o.Workers, a.there.Size()
	noisy := cutAll(img.planes, img.width, a.there)
	p := noisemap.Picture{Noisy: noisy, Width: size.X, Height: size.Y, Left: a.leftOf(group)}
	sigma, told := a.noise[group].deviation(len(img.planes))
	if told {
		parts := noisemap.Known(ctx, p, sigma, workers)
		return parts, curvesOf(parts, sigma), ctx.Err()
	}
	quick := Options{Models: a.o.Models, Quality: Fast, KeepMean: true, Workers: workers}
	var err error
	if p.Result, err = a.denoise(ctx, group, img, a.there, 0, quick); err != nil {
		return noisemap.Parts{}, nil, err
	}
	parts := noisemap.Measure(ctx, p, workers)
	return parts, curvesOf(parts, sigma), ctx.Err()
}

// at returns the standard deviation in a plane at a level: what moves the transformed sample by the level of the
// noise.
func (n evenedNoise) at(plane int, level float64) float64 {
	c := n.channels[min(plane, len(n.channels)-1)]
	v := c.Forward(level)
	return (c.Inverse(v+n.level) - c.Inverse(v-n.level)) / 2
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

// leftOf returns which samples of what is there carry no picture in a group of planes, or nil for none.
func (a *Analysis) leftOf(group int) func(i int) bool {
	empty := a.empty.ofGroup(a.sets.groups[group]...)
	if !a.sets.drawn.Some() {
		return leftOf(empty, goimage.Rectangle{Max: a.there.Size()}, a.there.Dx())
	}
	size := a.there.Dx() * a.there.Dy()
	drawn := [][]float32{make([]float32, size)}
	ones := [][]float32{slices.Repeat([]float32{1}, size)}
	a.sets.drawn.Restore(drawn, ones, goimage.Rectangle{Max: a.there.Size()})
	return func(i int) bool { return drawn[0][i] != 0 || empty.Has(i) }
}
