package imageio

import (
	"fmt"
	"math"
	"testing"
)

// TestFaultF6AllSizes writes and reads images of all sizes from 1 x 1 to 40 x 40, with different depths and channels.
func TestFaultF6AllSizes(t *testing.T) {
	depths := []Depth{Depth8, Depth16, DepthFloat32}
	for w := 1; w <= 40; w++ {
		for h := 1; h <= 40; h++ {
			if !all && min(w, h) > 9 && (w+h)%3 != 0 {
				continue
			}
			img := noise(w, h, 1+w%2*2, h%2 == 0, depths[(w+h)%3], 1)
			img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: []byteOrder{le, be}[h%2]},
				packing: deflateIf(w%3 == 0)}}
			comesBack(t, fmt.Sprintf("a TIFF of %d x %d", w, h), img, WriteOptions{})
			if img.Depth == DepthFloat32 {
				img = noise(w, h, 1+w%2*2, h%2 == 0, Depth8, 1)
			}
			comesBack(t, fmt.Sprintf("a PNG of %d x %d", w, h), img, WriteOptions{Format: PNG})
			nearlyJPEG(t, w, h)
		}
	}
}

// nearlyJPEG writes and reads a ramp, which survives chroma subsampling well.
func nearlyJPEG(t *testing.T, w, h int) {
	planes := []int{1, 3, 4}[(w+h)%3]
	img := painted(newImage(w, h, planes, noAlpha, Depth8, JPEG),
		func(c, i int) float32 { return unit8(uint8(40*c + 2*(i%w) + 2*(i/w))) })
	o := WriteOptions{Quality: 98, Subsampling: Subsampling(1 + (w+2*h)%3)}
	got := readBack(t, img, o)
	if got.Width != w || got.Height != h || len(got.Planes) != planes {
		t.Fatalf("%d x %d of %d planes: %d x %d of %d", w, h, planes, got.Width, got.Height, len(got.Planes))
	}
	for c, p := range img.Planes {
		for i, v := range p {
			if d := math.Abs(float64(v-got.Planes[c][i])) * 255; d > 9 {
				t.Fatalf("%d x %d, plane %d of %d, sample %d: %.0f levels apart, %+v", w, h, c, planes, i, d, o)
			}
		}
	}
}

// TestFaultF7ConstantAndSaturated checks that samples outside 0 to 1 are clipped in integer files, and that a constant
// JPEG keeps its gray value within a level.
func TestFaultF7ConstantAndSaturated(t *testing.T) {
	for v := range 256 {
		img := painted(newImage(8, 8, 1, noAlpha, Depth8, PNG), func(_, _ int) float32 { return unit8(uint8(v)) })
		got := readBack(t, img, WriteOptions{Format: JPEG})
		if d := math.Abs(float64(got.Planes[0][9])*255 - float64(v)); d > 1.01 {
			t.Errorf("constant %d comes back %g levels away", v, d)
		}
	}
	for _, d := range []Depth{Depth8, Depth16} {
		for _, f := range []Format{PNG, TIFF} {
			img := newImage(2, 1, 1, noAlpha, d, f)
			copy(img.Planes[0], []float32{-0.3, 1.7})
			got := readBack(t, img, WriteOptions{})
			if got.Planes[0][0] != 0 || got.Planes[0][1] != 1 {
				t.Errorf("%v %v: %v", f, d, got.Planes[0])
			}
		}
	}
}
