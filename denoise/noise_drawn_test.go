package denoise

import (
	goimage "image"
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// photoInText draws a noisy photograph in an area of a page of text.
func photoInText(width, height int, area goimage.Rectangle) *imageio.Image {
	_, noisy := noisyScene(area.Dx(), area.Dy(), 15)
	text := textPage(width, height, 1, 0)
	img := &imageio.Image{Width: width, Height: height, Depth: imageio.Depth8, Format: imageio.PNG}
	for _, p := range noisy {
		q := slices.Clone(text)
		pasteAll([][]float32{q}, width, [][]float32{p}, area)
		for i, v := range q {
			q[i] = float32(math.Round(255*min(max(float64(v), 0), 1)) / 255)
		}
		img.Planes = append(img.Planes, q)
	}
	return img
}

// A photograph in a page of text is denoised, in parts as well as at once, and the text stays as it is.
func TestPhotographInText(t *testing.T) {
	const width, height = 400, 360
	area := goimage.Rect(90, 60, 290, 240)
	img := photoInText(width, height, area)
	o := FileOptions{Options: Options{Quality: Fast}}
	a := mustAnalyse(t, img, o)
	part := goimage.Rect(50, 30, 200, 150)
	piece := mustPart(t, a, img, part, o.Options)
	before := clone(img.Planes)
	r, err := Decoded(t.Context(), img, o)
	if err != nil || r.Model == "" || r.Sigma < 10 || r.Sigma > 20 {
		t.Fatalf("%v, %v", r, err)
	}
	changed := 0
	for c, p := range img.Planes {
		for i, v := range p {
			at := goimage.Pt(i%width, i/width)
			if v != before[c][i] {
				changed++
				if !at.In(area) {
					t.Fatalf("%v has changed", at)
				}
			}
			if q := at.Sub(part.Min); at.In(part) && piece.Planes[c][q.Y*part.Dx()+q.X] != v {
				t.Fatalf("plane %d, %v: another sample in the part", c, at)
			}
		}
	}
	if share := float64(changed) / float64(3*area.Dx()*area.Dy()); share < 0.8 { // the others are clipped
		t.Errorf("only %.2f of the photograph have changed", share)
	}
}

// What is drawn changes only if the noise is told.
func TestToldNoiseOfDrawings(t *testing.T) {
	const side = 96
	dither := filled(side*side, func(i int) float32 { return float32((i%side/24 + (i%2+i/side%2)%2) % 4) })
	planes := [][]float32{dither, dither, dither}
	for name, test := range map[string]struct {
		o    Options
		same bool
	}{
		"nothing told":  {Options{}, true},
		"a level":       {Options{Sigma: 20}, false},
		"a kind, level": {Options{Noise: Camera, Sigma: 20}, false},
	} {
		img := &imageio.Image{Width: side, Height: side, Depth: imageio.Depth8, Planes: clone(planes)}
		for _, p := range img.Planes {
			for i := range p {
				p[i] /= 3
			}
		}
		before := clone(img.Planes)
		test.o.Quality = Fast
		r, err := Decoded(t.Context(), img, FileOptions{Options: test.o})
		if err != nil {
			t.Fatal(name, err)
		}
		if same := slices.EqualFunc(before, img.Planes, slices.Equal); same != test.same || (r.Model == "") != same {
			t.Errorf("%s: %v, unchanged: %v", name, r, same)
		}
	}
}
