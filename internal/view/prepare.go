package view

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

const (
	preparedSide  = 64 // of a picture that most clusters of patches are in
	preparedLevel = 10 // of noise, in grey levels: cameras have about as much
)

// prepare denoises a small picture of so many planes, so that the models are loaded. To load them takes a tenth of a second on one processor,
// and the first look measures noise meanwhile, which does not use all processors all of the time. Models for other levels are loaded later.
func prepare(ctx context.Context, planes int, o denoise.Options) error {
	small := make([][]float32, planes)
	at := uint32(1)
	for i := range small {
		small[i] = make([]float32, preparedSide*preparedSide)
		for j := range small[i] {
			at = at*1664525 + 1013904223 // W. H. Press et al., Numerical Recipes
			small[i][j] = 0.4 + 0.2*float32(at>>8)/(1<<24)
		}
	}
	_, err := denoise.Planes(ctx, small, preparedSide, preparedSide, denoise.Options{Models: o.Models, Quality: denoise.Fast, Sigma: preparedLevel, Stride: o.Stride, Workers: 1})
	return err
}
