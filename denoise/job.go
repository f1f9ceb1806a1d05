package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/level"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/internal/tonecurve"
)

// job is a call of the package at work: what the caller said, and what is known besides.
type job struct {
	Options
	ctx     context.Context
	file    fileFacts
	page    *stage.Page  // of the series that the picture belongs to; nil if it is alone
	shared  *seriesNoise // of that series; nil if each picture has its own noise
	channel int          // number of the channel at work among all of the picture
	within  within       // of the image at work in a larger one
	// about the side of a tile; 0 = as memory allows. Results do not depend on it, so only tests set it.
	tileSide int
}

// fileFacts are what a file says of the samples of its picture.
type fileFacts struct {
	steps level.Steps     // of quantisation, if it is a JPEG
	tone  tonecurve.Curve // that made the picture, if one did
	// Dither is the number of levels, less one, of the file that samples are dithered for; 0 = they are not dithered.
	dither float32
}

// newJob returns a job for planes that come from no file. It finds in the context the series that they belong to.
func newJob(ctx context.Context, o Options) job {
	in := placeOf(ctx)
	return job{Options: o.withModels(), ctx: ctx, page: in.page, shared: in.noise}
}

// jobFor returns the job for an image that package imageio has read. White is the full scale of floats.
func (o FileOptions) jobFor(ctx context.Context, img *imageio.Image) job {
	j := newJob(ctx, o.Options)
	j.Photons = j.Photons.over(img.FullScale(o.Read.White))
	j.file = fileFacts{level.Steps(img.Steps), j.toneCurveOf(img), o.ditherFor(img)}
	return j
}

// err returns the error of a context that has ended.
func (j job) err() error { return j.ctx.Err() }

// pool returns the workers of the job.
func (j job) pool() pool { return pool{j.ctx, j.Workers} }

// share returns the job for part i of n equal ones, whose progress is a share of the whole.
func (j job) share(i, n int) job {
	j.Options = j.part(i, n)
	return j
}

// noFile returns the job for samples that are not those of the file any more.
func (j job) noFile() job {
	j.file = fileFacts{dither: j.file.dither}
	return j
}

// noiseCurve measures the variance of the noise by brightness.
func (j job) noiseCurve(planes [][]float32, width, height int) (noisecurve.Curve, error) {
	c := noisecurve.Measure(planes, width, height, j.Workers)
	return c, j.err()
}

// between returns the job for what is done between two shares of the whole. It passes each hundredth of the whole on
// once.
func (j job) between(start, end float64) job {
	if whole := j.Progress; whole != nil {
		told := start
		j.Progress = func(share float64) {
			if at := start + (end-start)*share; at >= told+0.01 || share == 1 && at > told {
				told = at
				whole(at)
			}
		}
	}
	return j
}
