package denoise

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Planes denoises an image of one gray or three colour planes in place. Each plane has width x height samples row by
// row, on a scale of 0 to 1 of full scale. Colour planes must have independent noise. Equal planes are denoised as one
// gray plane. A sample that is NaN or infinite is an ErrArgument, since it would spoil all around it, unless
// Options.KeepInvalid is set. Samples that carry no picture, such as areas of one value, stay as they are; see also
// Options.RemoveHot. After an error the samples mean nothing.
func Planes(ctx context.Context, planes [][]float32, width, height int, o Options) (Result, error) {
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
	r, err := j.denoise(img, preparing{white: 1, change: j.Crop.Empty(), raw: true})
	if err == nil && !j.Crop.Empty() {
		pasteAll(planes, width, img.Planes, j.Crop)
	}
	return r, err
}

func checkPlanes(ctx context.Context, planes [][]float32, width, height int) error {
	if err := checkShape(ctx, planes, width, height); err != nil {
		return err
	}
	return checkFinite(planes, width)
}

// checkShape is checkPlanes without a look at the samples.
func checkShape(ctx context.Context, planes [][]float32, width, height int) error {
	if err := checkContext(ctx); err != nil {
		return err
	}
	if len(planes) != 1 && len(planes) != 3 {
		return badArgument("an image of %d planes is neither gray nor colour", len(planes))
	}
	return checkSize(planes, width, height)
}

// checkFinite reports samples that are no numbers: one of them would blacken all that is denoised together with it.
func checkFinite(planes [][]float32, width int) error {
	for _, p := range planes {
		for i, v := range p {
			if v-v != 0 {
				return badArgument("the sample at column %d, row %d is %g", i%width, i/width, v)
			}
		}
	}
	return nil
}

// checkImage reports an image without planes, or with some that do not have its size.
func checkImage(img *imageio.Image) error {
	switch {
	case img == nil:
		return badArgument("no image")
	case len(img.Planes) == 0:
		return badArgument("an image without planes")
	}
	all := slices.Concat(img.Planes, img.Extra)
	if img.Alpha != nil {
		all = append(all, img.Alpha)
	}
	return checkSize(all, img.Width, img.Height)
}

// checkSize reports planes that do not have a size.
func checkSize(planes [][]float32, width, height int) error {
	if width < 1 || height < 1 || width > maxSide || height > maxSide {
		return badArgument("an image of %d x %d samples", width, height)
	}
	for _, p := range planes {
		if len(p) != width*height {
			return badArgument("a plane of %d samples for an image of %d x %d", len(p), width, height)
		}
	}
	return nil
}

// maxSide keeps products of sides from overflowing.
const maxSide = 1 << 30
