package denoise

import (
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/internal/drawn"
)

// isFree reports whether the options tell nothing of the noise. Else what is drawn is denoised as the user wants it.
func (o Options) isFree() bool { return o.Noise == Auto && o.Sigma == 0 && o.Profile == nil }

// drawn looks for text, drawings, labels and dithers, which have no noise.
func (o Options) drawn(img image) drawn.Map {
	if !o.isFree() {
		return drawn.Map{}
	}
	return drawn.Find(img.planes, img.width, img.height, o.Workers)
}

// withoutDrawn returns the part of an image in which its noise is measured, and where it begins. It is false if the
// image is no picture.
func (o Options) withoutDrawn(img image) (picture image, at goimage.Point, ok bool) {
	m := o.drawn(img)
	if m.All() {
		return img, at, false
	}
	if m.Some() {
		area := m.Picture()
		img, at = image{cutAll(img.planes, img.width, area), area.Dx(), area.Dy()}, area.Min
	}
	return img, at, true
}
