package imageio

import (
	"image"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
)

// The stored part of an area, turned upright, is that area of the upright picture.
func TestStored(t *testing.T) {
	for turn := range uint16(9) {
		f := dngtest.File{Width: 9, Height: 7, Active: []uint32{1, 3, 6, 9}, Samples: make([]uint16, 63)}
		for i := range f.Samples {
			f.Samples[i] = uint16(i)
		}
		f.First = map[uint16]*dngtest.Tag{tagOrientation: f.Shorts(turn)}
		_, img := rawOf(t, f.Bytes())
		m := img.Mosaic
		upright := func(part image.Rectangle) *Image {
			out := img.Mapped(part.Dx(), part.Dy(), func(_ int, p []float32) (cut []float32) {
				for y := part.Min.Y; y < part.Max.Y; y++ {
					cut = append(cut, p[y*img.Width:][part.Min.X:part.Max.X]...)
				}
				return cut
			})
			m.Development.Upright(out)
			return out
		}
		whole := upright(m.Active)
		area := image.Rect(1, 2, 4, 5)
		part := upright(m.Stored(area))
		for y := range area.Dy() {
			want := whole.Planes[0][(y+area.Min.Y)*whole.Width:][area.Min.X:area.Max.X]
			if part.Width != area.Dx() || !slices.Equal(part.Planes[0][y*part.Width:][:part.Width], want) {
				t.Errorf("orientation %d, row %d: %v, want %v", turn, y, part.Planes[0], want)
			}
		}
	}
}

// What the file tells of the development counts if a camera can have it.
func TestDevelopment(t *testing.T) {
	var plain dngtest.File
	matrix := plain.Rationals(1, 0, 0, 0, 2, 0, 0, 0, 3)
	told := Development{Neutral: [3]float64{0.5, 1, 0.25}, Matrix: [3][3]float64{{1}, {0, 2}, {0, 0, 3}}, Exposure: 2,
		turn: 6}
	noNeutral := func(d *Development) { d.Neutral = [3]float64{} }
	for _, c := range []struct {
		what   string
		change uint16
		tag    *dngtest.Tag
		want   func(d *Development)
	}{
		{"all", 1, nil, func(d *Development) {}},
		{"neutral of no light", tagAsShotNeutral, plain.Rationals(0.5, 1, 0), noNeutral},
		{"neutral of two", tagAsShotNeutral, plain.Rationals(0.5, 1), noNeutral},
		{"matrix too large", tagColorMatrix1, plain.Rationals(1, 0, 0, 0, 2, 0, 0, 0, 11),
			func(d *Development) { d.Matrix = [3][3]float64{} }},
		{"exposure too small", tagBaselineExposure, plain.Rationals(-11), func(d *Development) { d.Exposure = 0 }},
		{"turned ninefold", tagOrientation, plain.Shorts(9), func(d *Development) { d.turn = 0 }},
	} {
		f := drawnDNG()
		f.First = map[uint16]*dngtest.Tag{tagAsShotNeutral: f.Rationals(0.5, 1, 0.25), tagColorMatrix1: matrix,
			tagBaselineExposure: f.Rationals(2), tagOrientation: f.Shorts(6), c.change: c.tag}
		want := told
		c.want(&want)
		if _, img := rawOf(t, f.Bytes()); img.Mosaic.Development != want {
			t.Errorf("%s: %+v, want %+v", c.what, img.Mosaic.Development, want)
		}
	}
}
