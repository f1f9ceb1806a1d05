package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/dither"
)

// ditherFor returns the levels, less one, of the file that an image will be in, or 0 if it needs no dither.
func (o FileOptions) ditherFor(img *imageio.Image) float32 {
	format := o.Write.Format
	if format == 0 {
		format = img.Format
	}
	if o.NoDither || o.Write.Depth > imageio.Depth8 || img.Depth > imageio.Depth8 || format == imageio.JPEG {
		return 0
	}
	return float32(imageio.Depth8.Max())
}

// dither rounds the smooth samples of an area of a denoised image, or of a part of it, so that no steps show.
func (j job) dither(img image, area goimage.Rectangle) {
	if j.file.dither > 0 {
		p := dither.Picture{Planes: img.planes, Width: img.width, At: j.within.at, Levels: j.file.dither}
		p.Round(area, j.Workers)
	}
}
