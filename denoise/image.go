package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// Image returns a denoised copy of an image. The result has the bounds (with Options.Crop a part of them) and the depth
// of img: gray images give *image.Gray or
// *image.Gray16, CMYK gives *image.CMYK, all others *image.NRGBA or *image.NRGBA64. Alpha is kept as it is.
//
// PhotonNoise of the options is in levels of the image: 0-255 or 0-65535.
func Image(ctx context.Context, img goimage.Image, o Options) (out goimage.Image, r Result, err error) {
	defer crash.Catch(&err)
	if err := checkContext(ctx); err != nil {
		return nil, Result{}, err
	}
	if img == nil {
		return nil, Result{}, badArgument("no image")
	}
	if err := o.Check(); err != nil {
		return nil, Result{}, err
	}
	picture, err := imageio.FromImage(img)
	if err != nil {
		return nil, Result{}, err
	}
	r, err = Decoded(ctx, picture, FileOptions{Options: o})
	if err != nil {
		return nil, Result{}, err
	}
	out, err = picture.ToImage()
	if err != nil {
		return nil, Result{}, err
	}
	return move(out, img.Bounds().Min.Add(o.Crop.Min)), r, nil
}

// move gives an image, whose bounds begin at (0, 0), another origin.
func move(img goimage.Image, to goimage.Point) goimage.Image {
	switch img := img.(type) {
	case *goimage.Gray:
		img.Rect = img.Rect.Add(to)
	case *goimage.Gray16:
		img.Rect = img.Rect.Add(to)
	case *goimage.NRGBA:
		img.Rect = img.Rect.Add(to)
	case *goimage.NRGBA64:
		img.Rect = img.Rect.Add(to)
	case *goimage.CMYK:
		img.Rect = img.Rect.Add(to)
	}
	return img
}
