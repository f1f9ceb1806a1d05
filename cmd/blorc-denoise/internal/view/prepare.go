package view

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/denoise"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

const (
	preparedSide  = 64 // of a picture that most clusters of patches are in
	preparedLevel = 10 // of noise, in gray levels: cameras have about as much
)

// minPrepared is the least number of pixels of a picture that takes longer to read than models to load.
const minPrepared = 4_000_000

// prepareFor loads models while a picture is read, which does not use all processors all of the time.
func (s *server) prepareFor(i imageio.Info) {
	if i.Width*i.Height < minPrepared || i.Format == imageio.DNG || s.c.Options.Noise == denoise.None {
		return
	}
	planes := 3
	if i.Channels < planes {
		planes = 1
	}
	s.prepared.Do(func() {
		// if it fails, the part that is denoised later does
		s.work.Go(func() { _ = prepare(s.ctx, planes, s.c.Options) })
	})
}

// prepare denoises a small picture of so many planes, so that the models are loaded. That takes a tenth of a second on
// one processor. Models for other levels are loaded when they are needed.
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
	_, err := denoise.Planes(ctx, small, preparedSide, preparedSide,
		denoise.Options{Noise: denoise.Camera, Models: o.Models, Quality: denoise.Fast, Sigma: preparedLevel,
			Stride: o.Stride, Workers: 1})
	return err
}
