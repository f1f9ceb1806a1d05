package baseline

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// DCT is the sliding-window DCT denoiser. It transforms every 8 x 8 patch, sets coefficients below 3 sigma to zero
// except the mean, transforms back, and averages the patches where they overlap: G. Yu, G. Sapiro, "DCT image
// denoising: a simple and effective image denoising algorithm", Image Processing On Line 1, 2011.
type DCT struct{}

// Name implements Denoiser.
func (DCT) Name() string { return "dct" }

const (
	dctSize      = 8
	dctThreshold = 3 // in units of sigma
)

// Denoise implements Denoiser.
func (DCT) Denoise(ctx context.Context, noisy patchify.Plane, sigma float64, workers int) (patchify.Plane, error) {
	if err := check(noisy, sigma); err != nil {
		return patchify.Plane{}, err
	}
	t := newSeparable(cosines(dctSize))
	limit := float32(dctThreshold * sigma)
	return eachPatch(ctx, noisy, dctSize, workers, func() func(patch []float32) {
		scratch := make([]float32, dctSize*dctSize)
		return func(patch []float32) {
			t.apply(t.forward, patch, patch, scratch)
			for i, v := range patch[1:] { // the mean stays
				if v > -limit && v < limit {
					patch[1+i] = 0
				}
			}
			t.apply(t.inverse, patch, patch, scratch)
		}
	})
}

// eachPatch cuts a plane into all its patches of size x size samples, denoises each in place and averages them where
// they overlap. prepare is called once for each worker and returns the function that denoises a patch.
func eachPatch(ctx context.Context, noisy patchify.Plane, size, workers int,
	prepare func() func(patch []float32)) (patchify.Plane, error) {
	plane := patchify.Pad(noisy, size)
	grid, err := patchify.NewGrid(plane.Width, plane.Height, size, 1)
	if err != nil {
		return patchify.Plane{}, err
	}
	out := patchify.NewPlane(plane.Width, plane.Height)
	denoise := make([]func([]float32), parallel.Workers(workers))
	patch := make([][]float32, len(denoise))
	for i := range denoise {
		denoise[i], patch[i] = prepare(), make([]float32, size*size)
	}
	err = patchify.Average(ctx, out, grid, workers, func(worker int, b patchify.Band, acc *patchify.Accumulator) {
		for i := range b.Grid.Len() {
			x, y := b.Grid.At(i)
			patchify.ExtractLane(patch[worker], 1, 0, plane, x, y, size)
			denoise[worker](patch[worker])
			acc.AddLane(patch[worker], 1, 0, x, y)
		}
	})
	return patchify.Crop(out, 0, 0, noisy.Width, noisy.Height), err
}
