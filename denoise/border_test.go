package denoise

import (
	"math"
	"slices"
	"testing"
)

// framed puts an even border around a plane.
func framed(p []float32, width, height int, left, top, right, bottom int, value float32) (q []float32, w, h int) {
	w, h = left+width+right, top+height+bottom
	q = slices.Repeat([]float32{value}, w*h)
	for y := range height {
		copy(q[(top+y)*w+left:], p[y*width:][:width])
	}
	return q, w, h
}

func TestBordersAreLeftOut(t *testing.T) {
	const w, h = 150, 130
	p := noisy(blobs(w, h, 1), 0.05, "a")
	for name, b := range map[string]struct{ left, top, right, bottom int }{
		"none":   {},
		"bars":   {0, 30, 0, 20},
		"mat":    {70, 80, 90, 100},
		"corner": {200, 0, 0, 300},
	} {
		q, qw, qh := framed(p, w, h, b.left, b.top, b.right, b.bottom, 1)
		inside, _ := image{[][]float32{q}, qw, qh}.withoutBorders()
		cut := func(side int) int { return min(side, 1) * borderBlur }
		if inside.width != w-cut(b.left)-cut(b.right) || inside.height != h-cut(b.top)-cut(b.bottom) {
			t.Errorf("%s: %d x %d is left", name, inside.width, inside.height)
		}
		if inside.planes[0][0] != p[cut(b.top)*w+cut(b.left)] {
			t.Errorf("%s: another part is left", name)
		}
		r := Options{}.measure(image{[][]float32{q}, qw, qh}).result()
		if r.Noise != Gaussian || math.Abs(r.Sigma-0.05*255) > 0.6 {
			t.Errorf("%s: found %v", name, r)
		}
	}
}

// What is no border stays: an even image, a small picture on a large sheet, and a dark background with faint noise.
func TestWhatIsNoBorder(t *testing.T) {
	small, sw, sh := framed(noisy(blobs(50, 40, 1), 0.05, "a"), 50, 40, 100, 100, 100, 100, 1)
	faint := noisy(make([]float32, 200*180), 0.001, "b")
	q, _, _ := framed(blobs(100, 100, 3), 100, 100, 50, 40, 50, 40, 0)
	for i, v := range q {
		faint[i] += v
	}
	for name, img := range map[string]image{
		"even":  {[][]float32{make([]float32, 200*180)}, 200, 180},
		"small": {[][]float32{small}, sw, sh},
		"faint": {[][]float32{faint}, 200, 180},
		"pixel": {[][]float32{{0.5}}, 1, 1},
	} {
		if got, _ := img.withoutBorders(); got.width != img.width || got.height != img.height {
			t.Errorf("%s: %d x %d is left", name, got.width, got.height)
		}
	}
}
