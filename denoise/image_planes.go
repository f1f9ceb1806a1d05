package denoise

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// image is the planes of an image and their size.
type image struct {
	planes        [][]float32
	width, height int
}

// clone returns a copy.
func (img image) clone() image { return image{clonePlanes(img.planes), img.width, img.height} }

// crop returns a copy of the middle of the image, at most side x side samples.
func (img image) crop(side int) image {
	w, h := min(side, img.width), min(side, img.height)
	x, y := (img.width-w)/2, (img.height-h)/2
	out := image{nil, w, h}
	for _, p := range img.planes {
		q := make([]float32, 0, w*h)
		for row := range h {
			q = append(q, p[(y+row)*img.width+x:][:w]...)
		}
		out.planes = append(out.planes, q)
	}
	return out
}

// mean returns the mean of red, green and blue.
func (img image) mean(by pool) []float32 {
	mean := make([]float32, img.width*img.height)
	by.pieces(len(mean), func(from, to int) {
		for i := from; i < to; i++ {
			mean[i] = (img.planes[0][i] + img.planes[1][i] + img.planes[2][i]) / 3
		}
	})
	return mean
}

func clonePlanes(planes [][]float32) (clones [][]float32) {
	for _, p := range planes {
		clones = append(clones, slices.Clone(p))
	}
	return clones
}

// cloneImage returns a copy of an image with samples of its own.
func cloneImage(img *imageio.Image) *imageio.Image {
	copied := *img
	copied.Planes, copied.Extra = clonePlanes(img.Planes), clonePlanes(img.Extra)
	return &copied
}
