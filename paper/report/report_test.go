package report

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"strings"
	"testing"
)

func TestPageLoadsNothingFromElsewhere(t *testing.T) {
	line, err := Lines(Axes{Title: "<curve>", LogY: true}, Series{Name: "a & b", X: []float64{1, 2, 3},
		Y: []float64{1, 0, 100}})
	if err != nil {
		t.Fatal(err)
	}
	if err := wellFormed(line.SVG); err != nil {
		t.Errorf("the SVG: %v", err)
	}
	matrix, err := Matrix("matrix", 5, 7, func(r, c int) float64 { return float64(r - c) })
	if err != nil {
		t.Fatal(err)
	}
	p := Page{Title: "T & U", Sections: []Section{{Name: "one", Title: "<b>",
		Tables:  []Table{{Head: []string{"x"}, Rows: [][]string{{"1 < 2"}}}},
		Figures: []Figure{{Caption: "c", Pictures: []Picture{line, matrix}}}}}}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	html := out.String()
	for _, want := range []string{"T &amp; U", "&lt;b&gt;", "1 &lt; 2", "<svg", "data:image/png;base64,"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	for _, banned := range []string{"src=\"http", "href=\"http", "<script", "<?xml", "@import"} {
		if strings.Contains(html, banned) {
			t.Errorf("%q in the page", banned)
		}
	}
}

func wellFormed(s string) error {
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Row 0 is on top, and positive elements are red.
func TestMatrixOrientation(t *testing.T) {
	p, err := Matrix("m", 10, 10, func(r, c int) float64 {
		if r < 5 {
			return 1
		}
		return -1
	})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(p.PNG))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	r, _, blue, _ := img.At(b.Dx()/2, b.Dy()/4).RGBA()
	if r <= blue {
		t.Error("a positive element on top is not red")
	}
	r, _, blue, _ = img.At(b.Dx()/2, b.Dy()*3/4).RGBA()
	if r >= blue {
		t.Error("a negative element below is not blue")
	}
}

func TestFiltersAndGray(t *testing.T) {
	if p, err := Filters("f", [][]float64{{1, 2, 3, 4}, {0, 0, 0, 0}, {-1, 1, -1, 1}}, 2, 2); err != nil ||
		len(p.PNG) == 0 {
		t.Error(err)
	}
	p, err := Gray("g", []float32{0, 2, -1, 0.5}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(p.PNG))
	if err != nil || img.Bounds().Dx() != 2 {
		t.Error(err)
	}
}
