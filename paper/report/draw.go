package report

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Series is a named curve.
type Series struct {
	Name string
	X, Y []float64
	Tone Tone
}

// Tone is the kind of colour of a curve.
type Tone int

// The tones.
const (
	Coloured Tone = iota // a colour of its own
	Faint                // gray, for a curve in the background
	Dark                 // black, for a curve that others are compared with
)

// colours can be told apart by colour-blind readers: M. Okabe, K. Ito, "Color universal design", 2008.
var colours = []color.Color{rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7), rgb(0x56b4e9), rgb(0xe69f00)}

func rgb(v uint32) color.Color { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} }

// Axes describes the axes of a figure.
type Axes struct {
	Title, X, Y string
	LogX, LogY  bool
	Steps       bool    // draw curves as steps, constant around each sample
	Width       float64 // of the figure in centimetres; 0 = 12
}

// Lines draws at least one curve. Points that are NaN, or not positive on a logarithmic axis, are left out.
func Lines(a Axes, series ...Series) (Picture, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = a.X, a.Y
	if a.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, ticksAt(series)
	}
	if a.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	p.Add(plotter.NewGrid())
	coloured := 0
	for _, s := range series {
		var points plotter.XYs
		for j, x := range s.X {
			if !(a.LogX && x <= 0) && !(a.LogY && s.Y[j] <= 0) && !math.IsNaN(s.Y[j]) {
				points = append(points, plotter.XY{X: x, Y: s.Y[j]})
			}
		}
		if len(points) == 0 {
			continue
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return Picture{}, err
		}
		switch line.Width = vg.Points(1.5); s.Tone {
		case Faint:
			line.Color = color.Gray{190}
		case Dark:
			line.Color = color.Black
		default:
			line.Color, line.Dashes = colours[coloured%len(colours)], plotutil.Dashes(coloured/len(colours))
			coloured++
		}
		if a.Steps {
			line.StepStyle = plotter.MidStep
		}
		p.Add(line)
		if s.Name != "" {
			p.Legend.Add(s.Name, line)
		}
	}
	width := 12 * vg.Centimeter
	if a.Width > 0 {
		width = vg.Length(a.Width) * vg.Centimeter
	}
	return withLegend(p, a.Title, width)
}

// withLegend draws the plot with its legend below it.
func withLegend(p *plot.Plot, title string, width vg.Length) (Picture, error) {
	legend := p.Legend
	p.Legend = plot.NewLegend()
	legend.Left, legend.Padding = true, vg.Points(3)
	below := legend.Rectangle(draw.New(vgsvg.New(width, width))).Size().Y
	height := width*5/8 + below
	canvas := vgsvg.New(width, height)
	whole := draw.New(canvas)
	const margin = 16 // room for the right half of the last number on the axis
	p.Draw(draw.Crop(whole, 0, -margin, below, 0))
	legend.Draw(draw.Crop(whole, 0, 0, 0, below-height))
	var out bytes.Buffer
	_, err := canvas.WriteTo(&out)
	return Picture{Title: title, SVG: withoutProlog(out.Bytes())}, err
}

// logTicks puts ticks at 1 to 9 times each power of ten. The powers have numbers; on an axis of less than two decades 2
// and 5 times the powers have numbers too.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for decade := math.Floor(math.Log10(low)); math.Pow(10, decade) <= high; decade++ {
		for first := range 9 {
			t := plot.Tick{Value: float64(first+1) * math.Pow(10, decade)}
			if first == 0 || high < 100*low && (first == 1 || first == 4) {
				t.Label = strconv.FormatFloat(t.Value, 'g', 3, 64)
			}
			if t.Value >= low*(1-1e-9) && t.Value <= high*(1+1e-9) {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// ticksAt puts a tick at each point of the first curve.
func ticksAt(series []Series) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, x := range series[0].X {
		ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', -1, 64)})
	}
	return ticks
}

// withoutProlog removes the XML prolog, which is not allowed inside HTML.
func withoutProlog(svg []byte) string {
	if i := bytes.Index(svg, []byte("<svg")); i > 0 {
		svg = svg[i:]
	}
	return string(svg)
}

// grid is a matrix as a plotter.GridXYZ, with row 0 on top.
type grid struct {
	rows, columns int
	at            func(r, c int) float64
}

func (g grid) Dims() (c, r int)   { return g.columns, g.rows }
func (g grid) Z(c, r int) float64 { return g.at(g.rows-1-r, c) }
func (g grid) X(c int) float64    { return float64(c) }
func (g grid) Y(r int) float64    { return float64(r) }

// Matrix draws a matrix, blue below zero and red above. Full colour is the largest absolute element; the title should
// give it.
func Matrix(title string, rows, columns int, at func(r, c int) float64) (Picture, error) {
	colours := moreland.SmoothBlueRed()
	return heat(title, grid{rows, columns, at}, colours, 4)
}

// Filters draws rows of size x size elements as small pictures, each on its own scale. A line has across pictures.
func Filters(title string, rows [][]float64, size, across int) (Picture, error) {
	cell := size + 1
	lines := (len(rows) + across - 1) / across
	scale := make([]float64, len(rows))
	for i, row := range rows {
		for _, v := range row {
			scale[i] = max(scale[i], math.Abs(v), 1e-12)
		}
	}
	g := grid{lines*cell + 1, across*cell + 1, func(r, c int) float64 {
		i := r/cell*across + c/cell
		if i >= len(rows) || r%cell == 0 || c%cell == 0 {
			return 0
		}
		return rows[i][(r%cell-1)*size+c%cell-1] / scale[i]
	}}
	return heat(title, g, moreland.SmoothBlueRed(), 3)
}

// heat draws a grid with zoom x zoom pixels for each element.
func heat(title string, g grid, colours palette.ColorMap, zoom int) (Picture, error) {
	limit := 1e-12
	for r := range g.rows {
		for c := range g.columns {
			limit = max(limit, math.Abs(g.at(r, c)))
		}
	}
	colours.SetMin(-limit)
	colours.SetMax(limit)
	m := plotter.NewHeatMap(g, colours.Palette(255))
	m.Min, m.Max, m.Rasterized = -limit, limit, true
	p := plot.New()
	p.HideAxes()
	p.X.Padding, p.Y.Padding = 0, 0
	p.Add(m)
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(g.columns*zoom)*vg.Inch/96, vg.Length(g.rows*zoom)*vg.Inch/96),
		vgimg.UseDPI(96))
	p.Draw(draw.New(canvas))
	var out bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(&out)
	return Picture{Title: title, PNG: out.Bytes()}, err
}

// Gray draws a plane of width x height samples from 0 to 1, one pixel for each.
func Gray(title string, pix []float32, width, height int) (Picture, error) {
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i, v := range pix {
		img.SetGray(i%width, i/width, color.Gray{Y: uint8(math.Round(255 * float64(min(1, max(0, v)))))})
	}
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return Picture{Title: title, PNG: out.Bytes()}, err
}
