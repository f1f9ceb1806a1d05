package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// repeated returns a copy of an image with a margin of what the picture has on the other side.
func repeated(img *imageio.Image, margin int) *imageio.Image {
	width, height := img.Width+2*margin, img.Height+2*margin
	out := img.Mapped(width, height, func(_ int, p []float32) []float32 {
		q := make([]float32, 0, width*height)
		for y := range height {
			row := p[other(y-margin, img.Height)*img.Width:][:img.Width]
			for x := range width {
				q = append(q, row[other(x-margin, img.Width)])
			}
		}
		return q
	})
	out.Meta = img.Meta
	return out
}

// other returns the place of a sample in a row of n that repeats.
func other(i, n int) int { return (i%n + n) % n }

// field returns a copy of every second row of an image of interlaced video, from row 0 or row 1 on.
func field(img *imageio.Image, first int) *imageio.Image {
	out := img.Mapped(img.Width, (img.Height+1-first)/2, func(_ int, p []float32) []float32 {
		var q []float32
		for y := first; y < img.Height; y += 2 {
			q = append(q, p[y*img.Width:][:img.Width]...)
		}
		return q
	})
	out.Meta = img.Meta
	return out
}

// rowsOf returns the part of a field that an area of the frame has.
func rowsOf(area goimage.Rectangle, first int) goimage.Rectangle {
	area.Min.Y, area.Max.Y = (area.Min.Y+1-first)/2, (area.Max.Y+1-first)/2
	return area
}

// putField puts a field back into an image.
func putField(img, field *imageio.Image, first int) {
	put := func(to, from [][]float32) {
		for c, p := range from {
			for y := first; y < img.Height; y += 2 {
				copy(to[c][y*img.Width:][:img.Width], p[y/2*img.Width:])
			}
		}
	}
	put(img.Planes, field.Planes)
	put(img.Extra, field.Extra)
	img.Depth = max(img.Depth, field.Depth)
}
