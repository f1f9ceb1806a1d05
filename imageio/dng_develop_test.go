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
