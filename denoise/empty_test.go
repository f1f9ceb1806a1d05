package denoise

import (
	"context"
	"fmt"
	goimage "image"
	"math"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// holed returns a noisy gray image and one of which samples have a value.
func holed(depth imageio.Depth, value float32, where func(x, y int) bool) (plain, with *imageio.Image) {
	const w, h = 160, 140
	p := noisy(blobs(w, h, 7), 0.04, "holed")
	plain = &imageio.Image{Width: w, Height: h, Planes: [][]float32{p}, Depth: depth, Format: imageio.TIFF}
	for i, v := range plain.Planes[0] {
		v = 0.2 + v/2
		if top := depth.Max(); top > 0 {
			v = float32(math.Round(float64(v)*top) / top)
		}
		plain.Planes[0][i] = v
	}
	with = copyOf(plain)
	for i := range with.Planes[0] {
		if where(i%w, i/w) {
			with.Planes[0][i] = value
		}
	}
	return plain, with
}

func denoised(t *testing.T, img *imageio.Image, o FileOptions) ([]float32, Result) {
	t.Helper()
	out, r := cleanedImage(t, img, o)
	return out.Planes[0], r
}

// Samples without a picture stay, and the picture beside them is denoised as if they were none.
func TestEmptySamplesStay(t *testing.T) {
	hole := func(x, y int) bool { return x > 100 && y > 30 || x < 12 }
	few := func(x, y int) bool { return (x*7+y*31)%89 == 0 }
	one := func(x, y int) bool { return x == 60 && y == 70 }
	for name, c := range map[string]struct {
		depth imageio.Depth
		value float32
		where func(x, y int) bool
		given bool
	}{
		"height model": {imageio.DepthFloat32, -9999, hole, false},
		"huge":         {imageio.DepthFloat32, 1e20, hole, false},
		"GDAL":         {imageio.DepthFloat32, -math.MaxFloat32, hole, true},
		"no echo":      {imageio.Depth16, 0, few, false},
		"hot":          {imageio.Depth16, 1, few, false},
		"in range":     {imageio.Depth8, 80.0 / 255, func(x, y int) bool { return x/20%3 == 1 }, true},
		"flat":         {imageio.Depth8, 80.0 / 255, func(x, y int) bool { return x > 100 && y > 30 }, false},
		"one":          {imageio.DepthFloat32, 9.97e36, one, false},
	} {
		plain, with := holed(c.depth, c.value, c.where)
		if c.given {
			with.NoData = []float64{float64(c.value) * max(c.depth.Max(), 1)}
		}
		want, before := denoised(t, plain, FileOptions{})
		got, r := denoised(t, with, FileOptions{})
		sum, n := 0.0, 0.0
		for i, v := range got {
			if x, y := i%with.Width, i/with.Width; c.where(x, y) {
				if v != c.value {
					t.Fatalf("%s: sample %d, %d became %g", name, x, y, v)
				}
				continue
			}
			sum, n = sum+math.Pow(float64(v-want[i]), 2), n+1
		}
		if rms := math.Sqrt(sum / n); rms > 0.008 {
			t.Errorf("%s: the picture differs by %.4f", name, rms)
		}
		if math.Abs(r.Sigma-before.Sigma) > 0.15*before.Sigma || r.Noise != before.Noise {
			t.Errorf("%s: found %v, not %v", name, r, before)
		}
	}
}

// Parts of a picture with holes equal the whole.
func TestPartsWithHoles(t *testing.T) {
	_, img := holed(imageio.Depth16, 1, func(x, y int) bool { return x > 90 && y > 60 || (x*7+y*31)%89 == 0 })
	for _, o := range []Options{
		{Sigma: 10, Quality: Fast}, {Sigma: 10, Quality: Fast, RemoveHot: true}, {Noise: None, RemoveHot: true},
	} {
		before := slices.Clone(img.Planes[0])
		samePieces(t, fmt.Sprint(o), img, FileOptions{Options: o}, goimage.Rect(20, 30, 130, 100),
			goimage.Rect(0, 0, img.Width, img.Height))
		if !slices.Equal(before, img.Planes[0]) {
			t.Error("the image has changed")
		}
	}
}

// Hot pixels are removed if they are to be, also where there is no noise, and holes are not.
func TestHotPixelsAreRemoved(t *testing.T) {
	hot := func(x, y int) bool { return x > 20 && (x*7+y*31)%89 == 0 }
	hole := func(x, y int) bool { return x < 12 }
	plain, img := holed(imageio.Depth16, 1, func(x, y int) bool { return hot(x, y) || hole(x, y) })
	for _, o := range []Options{
		{RemoveHot: true}, {RemoveHot: true, Noise: None}, {RemoveHot: true, Crop: goimage.Rect(0, 0, 80, 140)},
	} {
		whole := slices.Clone(img.Planes[0])
		r := mustPlanes(t, [][]float32{whole}, img.Width, img.Height, o)
		n, masked := 0, 0
		for i, v := range whole {
			x, y := i%img.Width, i/img.Width
			removed := hot(x, y) && (o.Crop.Empty() || x < 80)
			if (hole(x, y) || hot(x, y)) && !removed {
				masked++
			}
			switch {
			case removed && math.Abs(float64(v-plain.Planes[0][i])) > 0.3:
				t.Fatalf("%+v: sample %d, %d became %g", o, x, y, v)
			case removed:
				n++
			case (hole(x, y) || hot(x, y)) && v != 1:
				t.Fatalf("%+v: sample %d, %d became %g", o, x, y, v)
			}
		}
		if r.Hot != n {
			t.Errorf("%d hot pixels were removed, the result says %d", n, r.Hot)
		}
		if r.Masked != masked {
			t.Errorf("%d samples have no image content, the result says %d", masked, r.Masked)
		}
	}
}

// No sample gets a value of those that were not measured.
func TestNoDataIsLeft(t *testing.T) {
	hole := func(x, y int) bool { return x > 100 && y > 30 }
	for _, levels := range [][]float64{{80}, {81, 80}, {80, 81, 82, 200}} {
		_, img := holed(imageio.Depth8, 80.0/255, hole)
		img.NoData = levels
		count := func(p []float32) (n int) {
			for i, v := range p {
				level := math.Round(float64(v) * 255)
				if slices.Contains(levels, level) && !hole(i%img.Width, i/img.Width) {
					n++
				}
			}
			return n
		}
		before := count(img.Planes[0])
		if got, _ := denoised(t, img, FileOptions{}); count(got) != before {
			t.Errorf("%v: %d samples have the values, not %d", levels, count(got), before)
		}
	}
}

// A drawing is told by its areas of one value, so they are not filled in.
func TestDrawingsHaveNoHoles(t *testing.T) {
	p := filled(200*200, func(i int) float32 { return [50]float32{0.3, 0.8, 1, 0.6, 0.1}[(i%200+i/200)%50] })
	measured := func(int) []float32 { return nil }
	if e, err := jobOf(Options{}).findInvalid([][][]float32{{p}}, 200, nil, measured); err != nil || e.haveHoles() {
		t.Error("there are some")
	}
	before := slices.Clone(p)
	_, err := Planes(context.Background(), [][]float32{p}, 200, 200, Options{})
	if err != nil || !slices.Equal(p, before) {
		t.Errorf("it has changed (%v)", err)
	}
}

// framed puts an even border around a plane.
func framed(p []float32, width, height int, left, top, right, bottom int, value float32) (q []float32, w, h int) {
	w, h = left+width+right, top+height+bottom
	q = slices.Repeat([]float32{value}, w*h)
	for y := range height {
		copy(q[(top+y)*w+left:], p[y*width:][:width])
	}
	return q, w, h
}

// Even borders, such as the mat of a scan or the bars above and below a film, say nothing of the noise.
func TestBordersSayNothingOfNoise(t *testing.T) {
	const w, h = 150, 130
	p := noisy(blobs(w, h, 1), 0.05, "a")
	for name, b := range map[string]struct{ left, top, right, bottom int }{
		"none":   {},
		"bars":   {0, 30, 0, 20},
		"mat":    {70, 80, 90, 100},
		"corner": {200, 0, 0, 300},
	} {
		q, qw, qh := framed(p, w, h, b.left, b.top, b.right, b.bottom, 1)
		r := mustPlanes(t, [][]float32{q}, qw, qh, Options{Quality: Fast})
		if r.Noise != Gaussian || math.Abs(r.Sigma-0.05*255) > 0.6 {
			t.Errorf("%s: found %v", name, r)
		}
	}
}
