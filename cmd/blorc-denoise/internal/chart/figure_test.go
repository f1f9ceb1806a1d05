package chart

import (
	"bytes"
	goimage "image"
	"image/png"
	"math"
	"strings"
	"testing"
)

func figure() Figure {
	return Figure{
		Title: "a <file>", Scale: "noise, levels", Notes: []string{"one note"},
		Maps: []Map{{
			Title: "brightness", Picture: goimage.NewGray(goimage.Rect(0, 0, 60, 40)), Columns: 3, Rows: 2, Side: 20,
			Values: []float64{0, 5, 10, math.NaN(), 2, 3}, None: "no picture",
		}},
		Chart: Chart{X: "level", Y: "noise", Series: []Series{
			{Name: "gray", Mark: Line, Points: []Point{{0, 1}, {10, 2}}},
			{Name: "told", Mark: Dashes, Colour: 1, Points: []Point{{0, 2}, {10, 2}}},
			{Name: "blocks", Points: []Point{{5, 1}}},
		}},
	}
}

func TestFigureAsSVG(t *testing.T) {
	var b bytes.Buffer
	if err := figure().WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	checkSVG(t, b.String())
	for _, want := range []string{"a &lt;file&gt;", "brightness", "noise, levels", "no picture", "one note", "gray",
		"data:image/png;base64,", ">10<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in the figure", want)
		}
	}
	whole := figure()
	whole.Maps[0].Values[3] = 1
	b.Reset()
	if err := whole.WriteSVG(&b); err != nil || strings.Contains(b.String(), "no picture") {
		t.Error("a figure of pictures alone tells what has none", err)
	}
}

// The PNG file has the same size, and in each cell the colour of its value.
func TestFigureAsPNG(t *testing.T) {
	var b bytes.Buffer
	f := figure()
	if err := f.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if w, h := f.size(); img.Bounds() != goimage.Rect(0, 0, w, h) {
		t.Errorf("%v, not %d x %d", img.Bounds(), w, h)
	}
	at := func(column, row int) (r, g, b, a uint32) {
		return img.At(gap+20*column+10, 2*gap+lineSpace+20*row+10).RGBA()
	}
	for i, v := range f.Maps[0].Values {
		if math.IsNaN(v) {
			continue
		}
		r, g, b, a := at(i%3, i/3)
		wr, wg, wb, wa := over(Hue(v/10), 0).RGBA()
		if r != wr || g != wg || b != wb || a != wa {
			t.Errorf("cell %d is %x %x %x, not %x %x %x", i, r>>8, g>>8, b>>8, wr>>8, wg>>8, wb>>8)
		}
	}
	dark := func(x0, y0, x1, y1 int) (n int) { // pixels of ink
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				if r, _, _, _ := img.At(x, y).RGBA(); r < 0x6000 {
					n++
				}
			}
		}
		return n
	}
	if dark(gap, 10, 200, 30) == 0 {
		t.Error("no title")
	}
	left := gap + MapSize + gap
	if dark(left+10, 100, left+24, 400) == 0 {
		t.Error("no text beside the axis")
	}
}

// Larger values are brighter colours, so the map can be read without colours.
func TestHuesRise(t *testing.T) {
	last := -1.0
	for i := range 101 {
		c := Hue(float64(i) / 100)
		light := 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
		if light <= last {
			t.Errorf("at %d %% the light is %.1f, below it %.1f", i, light, last)
		}
		last = light
	}
	if end, text := ScaleEnd(7.3); end < 7.3 || text != "8" {
		t.Errorf("a scale for 7.3 ends at %g, %q", end, text)
	}
}
