package denoise

import "github.com/blorc-denoise/blorc-denoise/imageio"

// wrapMargin returns how many samples of the other side surround a picture that repeats. It is a multiple of the blocks
// of JPEG. Samples farther away hardly change the result.
func wrapMargin() int { return 8 * patchSide }

// repeated returns a copy of an image with a margin of what the picture has on the other side.
func repeated(img *imageio.Image, margin int) *imageio.Image {
	width, height := img.Width+2*margin, img.Height+2*margin
	return remade(img, width, height, func(p []float32) []float32 {
		q := make([]float32, 0, width*height)
		for y := range height {
			row := p[other(y-margin, img.Height)*img.Width:][:img.Width]
			for x := range width {
				q = append(q, row[other(x-margin, img.Width)])
			}
		}
		return q
	})
}

// other returns the place of a sample in a row of n that repeats.
func other(i, n int) int { return (i%n + n) % n }

// field returns a copy of every second row of an image of interlaced video, from row 0 or row 1 on.
func field(img *imageio.Image, first int) *imageio.Image {
	return remade(img, img.Width, (img.Height+1-first)/2, func(p []float32) []float32 {
		var q []float32
		for y := first; y < img.Height; y += 2 {
			q = append(q, p[y*img.Width:][:img.Width]...)
		}
		return q
	})
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

// remade returns a copy of an image with another size. Each plane is what of makes of the old one.
func remade(img *imageio.Image, width, height int, of func(p []float32) []float32) *imageio.Image {
	out := *img
	out.Width, out.Height, out.Planes, out.Extra = width, height, nil, nil
	for _, p := range img.Planes {
		out.Planes = append(out.Planes, of(p))
	}
	for _, p := range img.Extra {
		out.Extra = append(out.Extra, of(p))
	}
	if img.Alpha != nil {
		out.Alpha = of(img.Alpha)
	}
	return &out
}
