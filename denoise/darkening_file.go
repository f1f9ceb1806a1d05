package denoise

import (
	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/tonecurve"
)

// toneCurveOf returns the tone curve that made an image, or none if its samples may be in proportion to light.
// Photographs have 8 or 16 bits.
func (o Options) toneCurveOf(img *imageio.Image) tonecurve.Curve {
	none := tonecurve.Curve{}
	switch {
	case img.Depth != imageio.Depth8 && img.Depth != imageio.Depth16,
		len(img.Extra) > 0, img.Premultiplied, img.Meta.Linear():
		return none
	case len(img.Planes) == 3, len(img.Planes) == 1 && o.grayPhotograph(img):
		return tonecurve.Display
	}
	return none
}

// grayPhotograph tells gray photographs from what instruments measure, such as micrographs, whose noise may look like
// that of cameras. Those are not stored as JPEG, nobody names their noise that of cameras, and those of 16 bits often
// lie in a part of the range.
func (o Options) grayPhotograph(img *imageio.Image) bool {
	if o.Noise != Camera && img.Format != imageio.JPEG {
		return false
	}
	return img.Depth == imageio.Depth8 || (image{planes: img.Planes}).unit() == 1
}
