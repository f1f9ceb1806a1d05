package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/model/bilevel"
)

func someCurves() []bilevel.Curve {
	return []bilevel.Curve{
		{Phase: "pilot", Steps: 100, Points: []bilevel.Point{{Step: 50, Loss: 3, Validation: 4}, {Step: 100, Loss: 2.5, Validation: 3.75}}},
		{Phase: "a < b & c", Steps: 60, Points: []bilevel.Point{{Step: 50, Loss: 0.08}}}, // without validation
		{Phase: "just begun", Steps: 10},
	}
}

// elements counts the elements of an SVG file by name and collects its text.
func elements(t *testing.T, data []byte) (count map[string]int, text []string) {
	t.Helper()
	count = map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count, text
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			count[token.Name.Local]++
			for _, a := range token.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s %s=%q", token.Name.Local, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if s := strings.TrimSpace(string(token)); s != "" {
				text = append(text, s)
			}
		}
	}
}

func TestCurvesAsSVGAreXMLWithAPanelForEachPhase(t *testing.T) {
	for name, curves := range map[string][]bilevel.Curve{"none": nil, "some": someCurves()} {
		var out bytes.Buffer
		if err := drawCurves(newSVGCanvas, curves).encode(&out); err != nil {
			t.Fatal(err)
		}
		count, text := elements(t, out.Bytes())
		for _, c := range curves {
			if shown := slices.Contains(text, c.Phase); shown != (len(c.Points) > 0) {
				t.Errorf("%s: the phase %q is shown: %v", name, c.Phase, shown)
			}
		}
		if count["svg"] != 1 || (count["polyline"] > 0) != (len(curves) > 0) {
			t.Errorf("%s: elements %v", name, count)
		}
	}
}

func TestCurvesAsPNGShowBothLosses(t *testing.T) {
	var out bytes.Buffer
	if err := drawCurves(newPNGCanvas, someCurves()).encode(&out); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 2*panelWidth || size.Y != headHeight+panelHeight {
		t.Errorf("size %v", size)
	}
	training, validation := [2]int{}, [2]int{} // pixels of the colours in each panel
	for y := headHeight; y < img.Bounds().Dy(); y++ {
		for x := range img.Bounds().Dx() {
			switch img.At(x, y) {
			case inkTraining:
				training[x/panelWidth]++
			case inkValidation:
				validation[x/panelWidth]++
			}
		}
	}
	if training[0] == 0 || training[1] == 0 || validation[0] == 0 || validation[1] > 0 {
		t.Errorf("pixels of training %v, of validation %v", training, validation)
	}
}

// Higher losses are drawn higher, later steps further right, and all of them between the axes.
func TestPanelMapsStepsAndLosses(t *testing.T) {
	c := someCurves()[0]
	p := newPanel(newSVGCanvas(1, 1), c, 10, 20)
	first, last := p.at(50, 3), p.at(100, 2.5)
	if !(first.x < last.x && first.y < last.y) {
		t.Errorf("%v, then %v", first, last)
	}
	for _, pt := range c.Points {
		for _, loss := range []float64{pt.Loss, pt.Validation} {
			if at := p.at(float64(pt.Step), loss); at.x < p.x || at.x > p.x+p.width || at.y < p.y || at.y > p.y+p.height {
				t.Errorf("step %d, loss %g at %v is outside of the axes", pt.Step, loss, at)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{{0, 300, "0 100 200 300"}, {0, 60, "0 20 40 60"}, {0, 1, "0 0.2 0.4 0.6 0.8 1"}, {4.6, 6.4, "5 5.5 6"}, {0.0795, 0.1012, "0.08 0.085 0.09 0.095 0.1"}, {0, 1500, "0 500 1000 1500"}} {
		var got []string
		for _, v := range ticks(c.low, c.high) {
			got = append(got, tickLabel(v))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("ticks from %g to %g: %s, not %s", c.low, c.high, s, c.want)
		}
	}
}
