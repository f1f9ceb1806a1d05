package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// job is one call of the package: the options of the caller, and the state that goes with them.
type job struct {
	Options
	ctx     context.Context
	file    fileFacts
	page    *stage.Page  // of the series that the picture belongs to; nil if it is alone
	channel int          // number of the channel at work in the picture
	within  within       // place of the image at work in a larger one
	shots   *mosaicShots // of the scene of a raw picture; nil if it is alone
	// about the side of a tile; 0 = as memory allows. Results do not depend on it, so only tests set it.
	tileSide int
}

// newJob returns a job for planes that come from no file.
func newJob(ctx context.Context, o Options) job {
	return job{Options: o.withModels(), ctx: ctx, page: seriesPage(ctx)}
}

// pageKey is the key of a page in a context.
type pageKey struct{}

// withPage returns a context for a page of a series.
func withPage(ctx context.Context, p *stage.Page) context.Context {
	return context.WithValue(ctx, pageKey{}, p)
}

// seriesPage returns the page that a context is for, or nil for a picture that is alone.
func seriesPage(ctx context.Context) *stage.Page {
	p, _ := ctx.Value(pageKey{}).(*stage.Page)
	return p
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

// noFile returns the job without what the file says of its samples, for samples that a transform has changed.
func (j job) noFile() job {
	j.file = fileFacts{dither: j.file.dither}
	return j
}

// noiseCurve measures the variance of the noise by brightness.
func (j job) noiseCurve(planes [][]float32, width, height int) (noisecurve.Curve, error) {
	c := noisecurve.Measure(planes, width, height, j.Workers)
	return c, j.err()
}

// between returns the job for the work between two shares of the whole. It reports each hundredth of the whole once.
func (j job) between(start, end float64) job {
	if whole := j.Progress; whole != nil {
		reported := start
		j.Progress = func(share float64) {
			if at := start + (end-start)*share; at >= reported+0.01 || share == 1 && at > reported {
				reported = at
				whole(at)
			}
		}
	}
	return j
}

// within says that an image is a part of a larger one.
type within struct {
	chroma *wholeChroma  // of the larger image; nil if nothing needs it
	at     goimage.Point // where the part begins: at a multiple of wholeSide
}

// mosaicShots are the other shots of the scene of a raw picture.
type mosaicShots struct {
	count  int
	next   func(i int) (*imageio.Image, error)
	shares []float64 // of those that are read
}
