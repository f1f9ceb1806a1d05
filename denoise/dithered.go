package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/internal/dither"
)

// dither rounds the smooth samples of an area of a denoised image, or of a part of it, so that no steps show.
func (j job) dither(img image, area goimage.Rectangle) {
	if j.file.dither > 0 {
		p := dither.Picture{Planes: img.planes, Width: img.width, At: j.within.at, Levels: j.file.dither}
		p.Round(area, j.Workers)
	}
}
