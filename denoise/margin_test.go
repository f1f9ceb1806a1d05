package denoise

import (
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// A part that is denoised with the margin around it has the samples of the whole picture.
func TestMargin(t *testing.T) {
	const w, h = 768, 600
	_, noisy := panSeries(3, w, h, 20, func(int) (x, y float64) { return 0, 0 })
	for _, test := range []struct {
		name   string
		o      Options
		planes int
		steps  float64 // of 8 bits that samples may differ
	}{
		{"camera", Options{Noise: Camera, Quality: Fast, KeepMean: true}, 1, 0},
		{"colours of a camera", Options{Noise: Camera, Quality: Fast, KeepMean: true}, 3, 0},
		{"white", Options{Noise: Gaussian, Quality: Fast}, 1, 1},
	} {
		test.o.Sigma = 20
		img := &imageio.Image{Width: w, Height: h, Planes: clone(noisy[:test.planes]), Depth: imageio.Depth16}
		r, err := Decoded(t.Context(), img, FileOptions{Options: test.o})
		if err != nil {
			t.Fatal(err)
		}
		m := r.Margin
		if m.Samples == 0 || m.Samples%m.Multiple != 0 {
			t.Fatalf("%s: margin %+v", test.name, m)
		}
		x := (m.Samples/m.Multiple + 1) * m.Multiple // of the part; the window begins right of the edge
		from, to := x-m.Samples, min(w, x+100+m.Samples)
		part := &imageio.Image{Width: to - from, Height: h, Depth: imageio.Depth16}
		for _, p := range noisy[:test.planes] {
			part.Planes = append(part.Planes, columns(p, w, from, to))
		}
		if _, err := Decoded(t.Context(), part, FileOptions{Options: test.o}); err != nil {
			t.Fatal(err)
		}
		most := 0.0
		for i, p := range part.Planes {
			want := columns(img.Planes[i], w, x, x+100)
			for j, v := range columns(p, to-from, x-from, x-from+100) {
				most = max(most, 255*float64(max(v-want[j], want[j]-v)))
			}
		}
		if most > test.steps {
			t.Errorf("%s: margin %+v, samples differ by %.3g steps", test.name, m, most)
		}
	}
}

// columns returns some columns of a plane.
func columns(p []float32, width, from, to int) (out []float32) {
	for row := range slices.Chunk(p, width) {
		out = append(out, row[from:to]...)
	}
	return out
}

// What is made of the whole picture has no margin, and what has no noise needs none.
func TestNoMargin(t *testing.T) {
	_, noisy := panSeries(1, 64, 48, 20, pan)
	img := &imageio.Image{Width: 64, Height: 48, Planes: noisy, Depth: imageio.Depth16}
	r, err := Decoded(t.Context(), img, FileOptions{Options: Options{Noise: None}})
	if err != nil || r.Margin.Samples != 0 {
		t.Error(r.Margin, err)
	}
}
