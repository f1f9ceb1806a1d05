package denoise

import "github.com/blorc-denoise/blorc-denoise/imageio"

// wrapMargin returns how many samples around a picture that repeats are those of its other side: more than what decides
// a sample, and a multiple of the blocks of JPEG.
func wrapMargin() int { return 8 * patchSide }

// repeated returns a copy of an image with a margin of what the picture has on the other side.
func repeated(img *imageio.Image, margin int) *imageio.Image {
	out := *img
	out.Width, out.Height = img.Width+2*margin, img.Height+2*margin
	grow := func(p []float32) []float32 {
		q := make([]float32, 0, out.Width*out.Height)
		for y := range out.Height {
			row := p[other(y-margin, img.Height)*img.Width:][:img.Width]
			for x := range out.Width {
				q = append(q, row[other(x-margin, img.Width)])
			}
		}
		return q
	}
	out.Planes, out.Extra = nil, nil
	for _, p := range img.Planes {
		out.Planes = append(out.Planes, grow(p))
	}
	for _, p := range img.Extra {
		out.Extra = append(out.Extra, grow(p))
	}
	if img.Alpha != nil {
		out.Alpha = grow(img.Alpha)
	}
	return &out
}

// other returns the place of a sample in a row of n that repeats.
func other(i, n int) int { return (i%n + n) % n }
