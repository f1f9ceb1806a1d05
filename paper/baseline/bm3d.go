package baseline

import (
	"cmp"
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// BM3D is block matching and 3-D filtering, with both stages: K. Dabov, A. Foi, V. Katkovnik, K. Egiazarian, "Image
// denoising by sparse 3-D transform-domain collaborative filtering", IEEE Transactions on Image Processing 16(8), 2007.
// The parameters come from that paper's normal profile, with two corrections by M. Lebrun, "An analysis and
// implementation of the BM3D image denoising method", Image Processing On Line 2, 2012: blocks are matched by their
// plain samples, and from sigma 40 of 255 on the blocks of the second stage are larger.
type BM3D struct{}

// Name implements Denoiser.
func (BM3D) Name() string { return "bm3d" }

// Denoise implements Denoiser. It needs about 40 bytes for each sample and a fixed amount of memory for each worker.
func (BM3D) Denoise(ctx context.Context, noisy patchify.Plane, sigma float64, workers int) (patchify.Plane, error) {
	if err := check(noisy, sigma); err != nil {
		return patchify.Plane{}, err
	}
	sigma *= 255 // the thresholds on distances are in gray levels of 0-255
	y := patchify.NewPlane(noisy.Width, noisy.Height)
	for i, v := range noisy.Pix {
		y.Pix[i] = 255 * v
	}
	first, second := hardStage(sigma), wienerStage(sigma)
	y = patchify.Pad(y, second.size)
	basic, err := first.run(ctx, y, y, workers)
	if err != nil {
		return patchify.Plane{}, err
	}
	out, err := second.run(ctx, y, basic, workers)
	if err != nil {
		return patchify.Plane{}, err
	}
	out = patchify.Crop(out, 0, 0, noisy.Width, noisy.Height)
	for i := range out.Pix {
		out.Pix[i] /= 255
	}
	return out, nil
}

// Parameters of both stages, in pixels.
const (
	bm3dStep   = 3  // from one reference block to the next
	bm3dWindow = 19 // largest distance in x and in y between a reference block and the blocks of its group
)

// bm3dStage holds the parameters of one stage. Samples are in gray levels of 0-255.
type bm3dStage struct {
	size      int     // side of a block in pixels
	most      int     // largest number of blocks in a group, a power of 2
	threshold float32 // largest mean squared difference between two blocks of a group
	transform separable
	window    []float32 // weights of a block's samples in the average of overlapping blocks
	shrink    shrinkage
}

// hardStage returns the first stage. It finds groups in the noisy image and thresholds their coefficients.
func hardStage(sigma float64) bm3dStage {
	threshold := float32(2500)
	if sigma >= 35 {
		threshold = 5000
	}
	return bm3dStage{size: 8, most: 16, threshold: threshold, transform: newSeparable(biorthogonal(8)),
		window: kaiser(8, 2),
		shrink: hardThreshold(2.7 * float32(sigma))}
}

// wienerStage returns the second stage. It finds groups in the result of the first stage and attenuates their
// coefficients.
func wienerStage(sigma float64) bm3dStage {
	threshold, size := float32(400), 8
	if sigma >= 35 {
		threshold = 3500
	}
	if sigma >= 40 {
		size = 12
	}
	return bm3dStage{size: size, most: 32, threshold: threshold, transform: newSeparable(cosines(size)),
		window: kaiser(size, 2),
		shrink: wiener(float32(sigma))}
}

// bandRows is the height in pixels of one piece of work: it holds the reference blocks whose corners lie in so many
// rows.
const bandRows = 20 * bm3dStep

// run filters all groups of the noisy plane and averages the blocks where they overlap. Groups are found in the pilot,
// whose coefficients also set the attenuations. Bands are summed from top to bottom, so the result does not depend on
// the number of workers.
func (s bm3dStage) run(ctx context.Context, noisy, pilot patchify.Plane, workers int) (patchify.Plane, error) {
	grid, err := patchify.NewGrid(noisy.Width, noisy.Height, s.size, bm3dStep)
	if err != nil {
		return patchify.Plane{}, err
	}
	count := (grid.Ys[len(grid.Ys)-1])/bandRows + 1
	bands := make([]*bm3dBand, count)
	err = parallel.For(ctx, workers, count, func(_, i int) {
		var ys []int
		for _, y := range grid.Ys {
			if y/bandRows == i {
				ys = append(ys, y)
			}
		}
		if len(ys) > 0 {
			bands[i] = newBand(s, noisy, pilot, grid.Xs, ys)
			bands[i].filter()
		}
	})
	if err != nil {
		return patchify.Plane{}, err
	}
	sum, weight := make([]float32, len(noisy.Pix)), make([]float32, len(noisy.Pix))
	for _, b := range bands {
		if b != nil {
			b.addTo(sum, weight)
		}
	}
	out := patchify.NewPlane(noisy.Width, noisy.Height)
	for i, w := range weight {
		out.Pix[i] = sum[i] / cmp.Or(w, 1)
	}
	return out, nil
}
