package main

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/chart"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

const (
	brightnessLabel = "brightness (levels of the file)"
	noiseLabel      = "standard deviation of the noise (levels of the file)"
)

// Colours of series for red, green and blue.
var channelColours = [3]int{1, 2, 0}

var channelNames = [3]string{"red, ", "green, ", "blue, "}

// noiseChart draws the noise of an image over its brightness. Full is the full scale of the file.
func noiseChart(img *imageio.Image, found denoise.Result, full float64) chart.Chart {
	c := chart.Chart{X: brightnessLabel, Y: noiseLabel}
	planes, width, height := chart.PlanesOf(img)
	switch {
	case found.Noise == denoise.Camera:
		c.Series = broadSeries(planes, width, height, full)
	case found.Channels != [3]denoise.PhotonNoise{}:
		for i, p := range planes {
			curve := noisecurve.Measure([][]float32{p}, width, height, 0)
			c.Series = append(c.Series, plotOf(i, 3).photons(curve, found.Channels[i], full)...)
		}
	default:
		curve, plot := noisecurve.Measure(planes, width, height, 0), plotOf(0, 1)
		switch found.Noise {
		case denoise.Poisson:
			c.Series = plot.photons(curve, found.Photons, full)
		case denoise.Gaussian:
			c.Series = plot.flat(curve, full*found.Sigma/255, full)
		default:
			c.Series = curveSeries(curve, full, "", 0)
		}
	}
	return c
}

// plot is how a channel is drawn.
type plot struct {
	name         string // before those of its series
	points, line int    // colours
}

// plotOf returns how channel i of n is drawn.
func plotOf(i, n int) plot {
	if n == 3 {
		return plot{channelNames[i], channelColours[i], channelColours[i]}
	}
	return plot{"", 0, 1}
}

// photons draws a curve on a scale of 0 to 1, and the noise of a detector, in the unit of the file, over its
// brightness.
func (p plot) photons(c noisecurve.Curve, n denoise.PhotonNoise, full float64) []chart.Series {
	var points []chart.Point
	if len(c.Points) > 0 {
		at := denoise.Result{Noise: denoise.Poisson, Photons: n}.At
		points = chart.Through(full*c.Points[0].Level, full*c.Points[len(c.Points)-1].Level, func(x float64) float64 {
			sigma, _ := at(x)
			return sigma
		})
	}
	return p.lined(c, full, "fit", points)
}

// flat draws a curve, and the same noise at all of its brightnesses.
func (p plot) flat(c noisecurve.Curve, sigma, full float64) []chart.Series {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range curveSeries(c, full, "", 0) {
		for _, p := range s.Points {
			low, high = min(low, p.X), max(high, p.X)
		}
	}
	return p.lined(c, full, "sigma", []chart.Point{{X: low, Y: sigma}, {X: high, Y: sigma}})
}

// lined draws a curve and a line.
func (p plot) lined(c noisecurve.Curve, full float64, name string, points []chart.Point) []chart.Series {
	return append(curveSeries(c, full, p.name, p.points),
		chart.Series{Name: p.name + name, Mark: chart.Line, Colour: p.line, Points: points})
}

// curveSeries are the blocks and the points of a curve on a scale of 0 to 1.
func curveSeries(c noisecurve.Curve, full float64, name string, colour int) []chart.Series {
	blocks := chart.Series{Name: name + "smooth blocks", Colour: colour}
	for _, d := range c.Dots {
		blocks.Points = append(blocks.Points, chart.Point{X: full * d.Level, Y: full * math.Sqrt(d.Variance)})
	}
	points := chart.Series{Name: name + "mean of blocks", Mark: chart.Discs, Colour: colour,
		Points: chart.Deviations(c.Points, full)}
	return []chart.Series{blocks, points}
}

// broadSeries is the noise of luma and chroma at full, half and quarter size.
func broadSeries(planes [][]float32, width, height int, full float64) (all []chart.Series) {
	luma, chroma := planes[0], [][]float32(nil)
	if len(planes) == 3 {
		luma, chroma = lumaAndChroma(planes)
	}
	add := func(name string, mark chart.Mark, colour int, c noisecurve.Curve) {
		if len(c.Points) == 0 {
			return
		}
		if mark == chart.Line {
			blocks := curveSeries(c, full, "", colour)[0]
			blocks.Name = ""
			all = append(all, blocks)
		}
		all = append(all, chart.Series{Name: name, Mark: mark,
			Colour: colour, Points: chart.Deviations(c.Points, full)})
	}
	for i, size := range []string{"full size", "half size", "quarter size"} {
		if i > 0 {
			for c := range chroma {
				chroma[c], _, _ = halved(chroma[c], width, height)
			}
			luma, width, height = halved(luma, width, height)
		}
		add("luma, "+size, chart.Line, i, noisecurve.MeasureBy([][]float32{luma}, luma, width, height, 0))
		if chroma != nil {
			add("chroma, "+size, chart.Dashes, i, noisecurve.MeasureBy(chroma, luma, width, height, 0))
		}
	}
	return all
}

// lumaAndChroma returns the planes of BT.601.
func lumaAndChroma(planes [][]float32) (luma []float32, chroma [][]float32) {
	luma = make([]float32, len(planes[0]))
	cb, cr := make([]float32, len(luma)), make([]float32, len(luma))
	for i := range luma {
		r, g, b := planes[0][i], planes[1][i], planes[2][i]
		y := 0.299*r + 0.587*g + 0.114*b
		luma[i], cb[i], cr[i] = y, (b-y)/1.772, (r-y)/1.402
	}
	return luma, [][]float32{cb, cr}
}

// halved averages 2 x 2 samples.
func halved(p []float32, width, height int) (out []float32, w, h int) {
	w, h = width/2, height/2
	out = make([]float32, w*h)
	for y := range h {
		for x := range w {
			i := 2*y*width + 2*x
			out[y*w+x] = (p[i] + p[i+1] + p[i+width] + p[i+width+1]) / 4
		}
	}
	return out, w, h
}
