package main

import (
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// What guided stages are trained on: parts of the images, in random orientations.
const (
	guidedSide = 192
	guidedHeld = 24 // parts of the validation images
)

// drawParts draws parts of the images, count to train on and some of the validation images, and makes what stages are
// trained on of each. All groups have the same weight.
func drawParts[T, P any](ctx context.Context, u *ui, f *trainFlags, images trainingImages[T], count int,
	draw func(ctx context.Context, of T, rng *rand.Rand) (P, error)) (parts, held []P, err error) {
	u.say("denoising %d parts of the images to train on", count)
	from := func(groups [][]T, count int, seed uint64) ([]P, error) {
		out := make([]P, count)
		errs := make([]error, count)
		err := parallel.For(ctx, f.workers, count, func(_, i int) {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			g := groups[i%len(groups)]
			out[i], errs[i] = draw(ctx, g[rng.IntN(len(g))], rng)
		})
		return out, cmp.Or(err, cmp.Or(errs...))
	}
	if parts, err = from(images.groups, count, f.seed); err == nil && len(images.held) > 0 {
		held, err = from([][]T{images.held}, guidedHeld, f.seed+1)
	}
	return parts, held, err
}

// drawPart copies a part of an image, perhaps mirrored.
func drawPart(img *imageio.Image, width, height int, rng *rand.Rand) (planes [][]float32) {
	left, top := rng.IntN(img.Width-width+1), rng.IntN(img.Height-height+1)
	flipX, flipY := rng.IntN(2) == 0, rng.IntN(2) == 0
	for _, p := range img.Planes {
		out := make([]float32, 0, width*height)
		for y := range height {
			if flipY {
				y = height - 1 - y
			}
			for x := range width {
				if flipX {
					x = width - 1 - x
				}
				out = append(out, p[(top+y)*img.Width+left+x])
			}
		}
		planes = append(planes, out)
	}
	return planes
}

// planesOf returns planes of one size.
func planesOf(all [][]float32, width, height int) (planes []patchify.Plane) {
	for _, p := range all {
		planes = append(planes, patchify.Plane{Width: width, Height: height, Pix: p})
	}
	return planes
}
