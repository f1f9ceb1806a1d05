package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// Planes denoises an image of one gray or three colour planes in place. Each plane has width x height samples row by
// row, on a scale of 0 to 1 of full scale. Colour planes must have independent noise. Equal planes are denoised as one
// gray plane. A sample that is NaN or infinite is an ErrArgument, since it would spoil the samples around it, unless
// Options.KeepInvalid is set. Invalid samples, such as areas of one value, stay as they are; see also
// Options.RemoveHot. On error the contents of planes are undefined.
func Planes(ctx context.Context, planes [][]float32, width, height int, o Options) (r Result, err error) {
	defer crash.Catch(&err)
	if err := checkShape(ctx, planes, width, height); err != nil {
		return Result{}, err
	}
	if err := checkFinite(planes, width); err != nil && !o.KeepInvalid {
		return Result{}, err
	}
	if err := o.Check(); err != nil {
		return Result{}, err
	}
	if err := o.checkCrop(width, height); err != nil {
		return Result{}, err
	}
	return newJob(ctx, o).planes(planes, width, height)
}

// planes is Planes without checks.
func (j job) planes(planes [][]float32, width, height int) (Result, error) {
	img := &imageio.Image{Width: width, Height: height, Planes: planes, Depth: imageio.DepthFloat32}
	part := j.Crop
	if j.Wrap && part.Empty() { // the result is in new planes, as with a crop
		part = bounds(img)
	}
	r, err := j.denoise(img, preparing{white: 1, change: part.Empty(), raw: true})
	if err == nil && !part.Empty() {
		pasteAll(planes, width, img.Planes, part)
	}
	return r, err
}
