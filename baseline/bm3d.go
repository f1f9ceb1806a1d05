package baseline

import (
	"cmp"
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// BM3D is block matching and 3-D filtering: K. Dabov, A. Foi, V. Katkovnik, K. Egiazarian, "Image denoising by sparse 3-D
// transform-domain collaborative filtering", IEEE Transactions on Image Processing 16(8), 2007. Both stages, with the
// parameters of that paper's normal profile where M. Lebrun, "An analysis and implementation of the BM3D image denoising
// method", Image Processing On Line 2, 2012, does not correct them: matching on plain samples, and above sigma 40 larger
// patches in the second stage.
type BM3D struct{}

// Name implements Image.
func (BM3D) Name() string { return "bm3d" }

// Denoise implements Image. It needs about 40 bytes for each sample, and fixed memory for each worker.
func (BM3D) Denoise(ctx context.Context, noisy patchify.Plane, sigma float64, workers int) (patchify.Plane, error) {
	sigma *= 255 // the distances of the matching are those of 8-bit grey levels
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

// Parameters that both stages share: the distance between reference blocks, and how far from it in each direction the
// blocks of a group are looked for.
const (
	bm3dStep   = 3
	bm3dWindow = 19
)

// bm3dStage is one of the two stages.
type bm3dStage struct {
	size      int     // of a block
	most      int     // blocks in a group, a power of 2
	threshold float32 // on the mean squared difference of two blocks
	transform separable
	window    []float32 // weights of a block's samples in the aggregation
	shrink    shrinkage
}

// hardStage thresholds the coefficients of groups found in the noisy image.
func hardStage(sigma float64) bm3dStage {
	threshold := float32(2500)
	if sigma >= 35 {
		threshold = 5000
	}
	return bm3dStage{size: 8, most: 16, threshold: threshold, transform: newSeparable(biorthogonal(8)), window: kaiser(8, 2),
		shrink: hardThreshold(2.7 * float32(sigma))}
}

// wienerStage attenuates the coefficients of groups found in the first stage's result.
func wienerStage(sigma float64) bm3dStage {
	threshold, size := float32(400), 8
	if sigma >= 35 {
		threshold = 3500
	}
	if sigma >= 40 {
		size = 12
	}
	return bm3dStage{size: size, most: 32, threshold: threshold, transform: newSeparable(cosines(size)), window: kaiser(size, 2),
		shrink: wiener(float32(sigma))}
}

// bandRows is how many rows of reference corners are one piece of work.
const bandRows = 20 * bm3dStep

// run filters all groups and puts them together. Bands are summed in their order, so that the result does not depend on
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
