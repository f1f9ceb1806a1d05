package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/estimate"
)

// gaussianNoise is white and equally strong everywhere.
type gaussianNoise struct {
	sigma     float64 // on the scale of the samples
	estimated bool
}

func measureGaussian(planes [][]float32, width, height, workers int) gaussianNoise {
	return gaussianNoise{estimate.Sigma(planes, width, height, workers), true}
}

func (n gaussianNoise) result() Result {
	return Result{Noise: Gaussian, Sigma: 255 * n.sigma, Estimated: n.estimated}
}

func (n gaussianNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	return img.run(ctx, o, func(i int) (planeModel, error) {
		c := 1.0
		if len(img.planes) == 3 {
			c = contrast[i]
		}
		m, err := o.Models.Choose(255 * n.sigma / c)
		if err != nil {
			return planeModel{}, err
		}
		return planeModel{m, m.Stages, n.sigma}, nil
	})
}
