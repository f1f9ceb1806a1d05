package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/model/bilevel"
)

// curveFormats are the canvases that --curves can draw on, by file name extension.
var curveFormats = map[string]func(width, height int) canvas{".svg": newSVGCanvas, ".png": newPNGCanvas}

func curveFormat(path string) func(width, height int) canvas {
	return curveFormats[strings.ToLower(filepath.Ext(path))]
}

// writeCurves replaces the picture of the losses.
func writeCurves(path string, curves []bilevel.Curve) error {
	var out bytes.Buffer
	if err := drawCurves(curveFormat(path), curves).encode(&out); err != nil {
		return err
	}
	return writeFile(path, true, out.Bytes())
}

// Sizes of the picture in pixels.
const (
	panelWidth, panelHeight                 = 380, 260
	panelsAcross                            = 3
	headHeight                              = 28
	axesLeft, axesRight, axesTop, axesBelow = 64, 16, 28, 44 // of the axes in a panel
)

var (
	inkBlack      = color.RGBA{0x20, 0x20, 0x20, 0xff}
	inkGray       = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
	inkTraining   = color.RGBA{0x1f, 0x77, 0xb4, 0xff}
	inkValidation = color.RGBA{0xd6, 0x5f, 0x0e, 0xff}
)

// drawCurves draws a panel for each phase that has been reported of.
func drawCurves(newCanvas func(width, height int) canvas, curves []bilevel.Curve) canvas {
	var shown []bilevel.Curve
	for _, c := range curves {
		if len(c.Points) > 0 {
			shown = append(shown, c)
		}
	}
	across := max(1, min(len(shown), panelsAcross))
	down := max(1, (len(shown)+across-1)/across)
	out := newCanvas(across*panelWidth, headHeight+down*panelHeight)
	out.text(axesLeft, 20, anchorStart, "training loss", inkTraining)
	out.text(axesLeft+150, 20, anchorStart, "validation loss", inkValidation)
	for i, c := range shown {
		newPanel(out, c, float64(i%across*panelWidth), float64(headHeight+i/across*panelHeight)).draw(c)
	}
	return out
}

// panel maps steps and losses of a phase to a rectangle of the canvas.
type panel struct {
	canvas
	x, y          float64 // corner of the axes
	width, height float64
	steps         float64
	low, high     float64 // losses
}

func newPanel(c canvas, curve bilevel.Curve, x, y float64) panel {
	p := panel{canvas: c, x: x + axesLeft, y: y + axesTop, width: panelWidth - axesLeft - axesRight, height: panelHeight - axesTop - axesBelow,
		steps: float64(curve.Steps), low: math.Inf(1), high: math.Inf(-1)}
	for _, pt := range curve.Points {
		for _, v := range []float64{pt.Loss, pt.Validation} {
			if v > 0 { // 0 is no validation
				p.low, p.high = min(p.low, v), max(p.high, v)
			}
		}
	}
	if !(p.low <= p.high) {
		p.low, p.high = 0, 1
	}
	margin := max(0.06*(p.high-p.low), 1e-3*p.high)
	p.low, p.high = p.low-margin, p.high+margin
	return p
}

func (p panel) at(step, loss float64) curvePoint {
	return curvePoint{p.x + p.width*step/p.steps, p.y + p.height*(p.high-loss)/(p.high-p.low)}
}

func (p panel) draw(c bilevel.Curve) {
	p.text(p.x+p.width/2, p.y-9, anchorMiddle, c.Phase, inkBlack)
	for _, v := range ticks(p.low, p.high) {
		from := p.at(0, v)
		p.line([]curvePoint{from, p.at(p.steps, v)}, 1, inkGray)
		p.text(from.x-6, from.y+4, anchorEnd, tickLabel(v), inkBlack)
	}
	for _, step := range ticks(0, p.steps) {
		foot := p.at(step, p.low)
		p.line([]curvePoint{foot, p.at(step, p.high)}, 1, inkGray)
		p.text(foot.x, foot.y+17, anchorMiddle, tickLabel(step), inkBlack)
	}
	p.line([]curvePoint{p.at(0, p.high), p.at(0, p.low), p.at(p.steps, p.low)}, 1, inkBlack)
	p.text(p.x+p.width/2, p.y+p.height+35, anchorMiddle, "steps", inkBlack)
	var training, validation []curvePoint
	for _, pt := range c.Points {
		training = append(training, p.at(float64(pt.Step), pt.Loss))
		if pt.Validation > 0 {
			validation = append(validation, p.at(float64(pt.Step), pt.Validation))
		}
	}
	p.curve(training, inkTraining)
	p.curve(validation, inkValidation)
}

// curve marks single points too: with the first report there is one.
func (p panel) curve(points []curvePoint, ink color.RGBA) {
	const arm = 2
	p.line(points, 1.5, ink)
	for _, at := range points {
		p.line([]curvePoint{{at.x - arm, at.y}, {at.x + arm, at.y}}, 2*arm, ink)
	}
}

// ticks are the multiples of 1, 2 or 5 times a power of ten between two numbers, two to six of them.
func ticks(low, high float64) (at []float64) {
	unit := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, f := range []float64{0.2, 0.5, 1} {
		if step := f * unit; (high-low)/step <= 5 {
			for i := math.Ceil(low / step); i*step <= high; i++ {
				at = append(at, i*step)
			}
			return at
		}
	}
	for i := math.Ceil(low / (2 * unit)); i*2*unit <= high; i++ {
		at = append(at, i*2*unit)
	}
	return at
}

// tickLabel writes a tick without the digits that rounding axesLeft.
func tickLabel(v float64) string {
	rounded, err := strconv.ParseFloat(fmt.Sprintf("%.6g", v), 64)
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(rounded, 'g', -1, 64)
}
