package denoise

import (
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

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

// isFinite reports whether v is a number.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
