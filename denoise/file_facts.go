package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/tonecurve"
)

// fileFacts are facts of a file about the samples of its picture.
type fileFacts struct {
	steps level.Steps     // of quantisation, if it is a JPEG
	tone  tonecurve.Curve // of the picture, if it has one
	// Dither is the largest integer sample of the output, for which samples are dithered; 0 = no dither.
	dither float32
}

// jobFor returns the job for an image that package imageio has read. White is the full scale of floats.
func (o FileOptions) jobFor(ctx context.Context, img *imageio.Image) job {
	j := newJob(ctx, o.Options)
	j.Photons = j.Photons.over(img.FullScale(o.Read.White))
	j.file = fileFacts{level.Steps(img.Steps), j.toneCurveOf(img), o.ditherFor(img)}
	return j
}

// ditherFor returns the largest integer sample of the file that an image will be in, or 0 if it needs no dither.
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

// toneCurveOf returns the tone curve of an image, or none if its samples may be proportional to light. Photographs have
// 8 or 16 bits.
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

// grayPhotograph distinguishes gray photographs from measurements, such as micrographs, whose noise may look like that
// of cameras. Those are not stored as JPEG, nobody names their noise that of cameras, and those of 16 bits often lie in
// a part of the range.
func (o Options) grayPhotograph(img *imageio.Image) bool {
	if o.Noise != Camera && img.Format != imageio.JPEG {
		return false
	}
	return img.Depth == imageio.Depth8 || (image{planes: img.Planes}).unit() == 1
}
