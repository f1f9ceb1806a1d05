package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// frame is the area of a chart and the ranges of its axes.
type frame struct {
	x0, x1, y0, y1 float64 // ranges of the values
	strings.Builder
}

// Sizes in units of the view box.
const (
	width, height            = 300, 160
	left, right, top, bottom = 38, 8, 8, 30
)

// begin writes the head of a chart with its title.
func begin(title string, x0, x1, y0, y1 float64) *frame {
	f := &frame{x0: x0, x1: x1, y0: y0, y1: y1}
	fmt.Fprintf(f, `<svg class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s"><title>%s</title>`, width, height,
		escape(title), escape(title))
	return f
}

func (f *frame) end() string {
	f.WriteString("</svg>")
	return f.String()
}

// x and y return the place of a value in the view box.
func (f *frame) x(v float64) float64 {
	return left + (v-f.x0)/(f.x1-f.x0)*(width-left-right)
}

func (f *frame) y(v float64) float64 {
	return height - bottom - (v-f.y0)/(f.y1-f.y0)*(height-top-bottom)
}

// axes draws the grid and the numbers of both axes, and says what they mean.
func (f *frame) axes(xLabel, yLabel string) {
	f.WriteString(`<g class="axis">`)
	if yLabel != "" {
		for _, v := range ticks(f.y0, f.y1, 4) {
			fmt.Fprintf(f, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, left, width-right, f.y(v), f.y(v))
			fmt.Fprintf(f, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`, left-4, f.y(v)+3.5, number(v))
		}
		fmt.Fprintf(f, `<text transform="translate(10 %.1f) rotate(-90)" text-anchor="middle">%s</text>`,
			f.y((f.y0+f.y1)/2), escape(yLabel))
	}
	for _, v := range ticks(f.x0, f.x1, 5) {
		fmt.Fprintf(f, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, f.x(v), height-bottom+12, number(v))
	}
	fmt.Fprintf(f, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, (left+width-right)/2, height-4, escape(xLabel))
	fmt.Fprintf(f, `<path d="M%d %dH%d"/></g>`, left, height-bottom, width-right)
}

// ticks returns about n round numbers within a range.
func ticks(from, to float64, n int) []float64 {
	if !(to > from) || math.IsInf(to-from, 0) {
		return nil
	}
	raw := (to - from) / float64(n)
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*step >= raw {
			step *= m
			break
		}
	}
	var all []float64
	for i := math.Ceil(from/step - 1e-9); i*step <= to*(1+1e-9)+1e-12 && len(all) < 20; i++ {
		all = append(all, i*step)
	}
	return all
}

// number writes a tick without digits that mean nothing.
func number(v float64) string {
	if v == 0 { // also the negative zero
		return "0"
	}
	if a := math.Abs(v); a >= 1e6 || a < 1e-4 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64) // 0.30000000000000004 is 0.3
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
