package main

import (
	"fmt"
	goimage "image"
	"math"
	"strconv"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/chart"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// titleOf returns what a part of a map is called.
func titleOf(p denoise.NoisePart) string {
	switch p.Name {
	case "luma":
		return "Brightness (mean of red, green and blue)"
	case "colours":
		return "Colours (what differs from the brightness)"
	}
	return strings.ToUpper(p.Name[:1]) + p.Name[1:]
}

// mapFigure draws a map over its picture, with the curves of the planes beside it. Full is the full scale of the
// file.
func mapFigure(img *imageio.Image, m denoise.NoiseMap, full float64) chart.Figure {
	f := chart.Figure{
		Chart: chart.Chart{X: brightnessLabel, Y: noiseLabel},
		Scale: "noise of each square, in levels of the file (0 to " + short(full) + ")",
		Notes: mapNotes(m),
	}
	picture, side := smallGray(img, m)
	together := len(m.Parts) > 0 && m.Parts[0].Name == "luma"
	for i, p := range m.Parts {
		if !together || i < 2 {
			f.Maps = append(f.Maps, chart.Map{
				Title: titleOf(p), Picture: picture, None: "no picture",
				Columns: m.Columns, Rows: m.Rows, Side: side, Values: p.Cells,
			})
		}
		if !together || i >= 2 {
			line := chart.Series{Name: p.Name, Mark: chart.Line, Colour: colourOf(p.Name, i), Points: curvePoints(p)}
			f.Chart.Series = append(f.Chart.Series, line)
		}
	}
	return f
}

// colourOf returns the colour of the line of a part.
func colourOf(name string, i int) int {
	switch name {
	case "red":
		return channelColours[0]
	case "green":
		return channelColours[1]
	case "blue":
		return channelColours[2]
	}
	return i % chart.Colours
}

func curvePoints(p denoise.NoisePart) (points []chart.Point) {
	for i, level := range p.Levels {
		points = append(points, chart.Point{X: level, Y: p.Sigmas[i]})
	}
	return points
}

// mapNotes says how to read the figure, and how broad the noise is.
func mapNotes(m denoise.NoiseMap) []string {
	notes := []string{
		"How to read this: each square of the picture has a colour for the noise in it, its standard deviation.",
		"Yellow squares have most noise, dark blue ones least. The lines say how much noise there is at each " +
			"brightness.",
	}
	if len(m.Parts) == 0 {
		return []string{"Nothing here is denoised, so there is no noise to show."}
	}
	for _, p := range m.Parts {
		if s := p.Scales; s[0] > 0 && (p.Name == "luma" || p.Name == "colours" || m.Parts[0].Name != "luma") {
			name, _, _ := strings.Cut(titleOf(p), " (")
			notes = append(notes,
				fmt.Sprintf("%s: noise of %s; means of 2 x 2 samples keep %.0f %% of it, of 4 x 4 samples %.0f %% "+
					"(white noise: 50 and 25).", name, short(s[0]), 100*s[1]/s[0], 100*s[2]/s[0]))
		}
	}
	return notes
}

// short writes a number with three digits that count.
func short(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// smallGray returns the area of a map as a gray picture that fits into a figure, and the side of a cell in it.
func smallGray(img *imageio.Image, m denoise.NoiseMap) (*goimage.Gray, float64) {
	scale := float64(chart.MapSize) / float64(max(m.Area.Dx(), m.Area.Dy()))
	scaled := func(length int) int { return max(1, int(math.Round(scale*float64(length)))) }
	picture := display.Of(img).Picture(img, m.Area)
	return display.Gray(display.Resized(picture, scaled(m.Area.Dx()), scaled(m.Area.Dy()))), scale * float64(m.Side)
}
