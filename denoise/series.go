package denoise

import (
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// SeriesReach returns how many images before and after one in a series may influence its result: those in the mean
// before the network, those from which each pass takes patches or gets results, and those to whose brightness these
// were adjusted.
func (o Options) SeriesReach() int { return (2 + 3*o.seriesPasses()) * stage.DefaultReach }

// seriesAhead returns how many images of a series are begun before the first is done.
func (o Options) seriesAhead() int { return (1 + 2*o.seriesPasses()) * stage.DefaultReach }

func (o Options) seriesPasses() int {
	passes := o.Quality.passes()
	if passes == 0 {
		m, err := o.Models.choose(minSigma)
		if err != nil {
			return 0 // denoising them fails
		}
		passes = len(m.Stages.NonLocal())
	}
	return max(0, passes)
}

// Series denoises images of one scene together: frames, the pages of a stack, the shots of a burst. It calls next for
// the images 0, 1, 2 and so on, until that returns nil. The function that next returns must denoise the image by one
// call of a function of this package, with the context that it gets: the context holds the series. It runs in a
// goroutine of its own; no two of them run at the same time. The noise is measured on some of the images, and is the
// same for all of them. When the context is done, the measurement ends; next should check the context, too.
func (o FileOptions) Series(ctx context.Context, some []*imageio.Image, next func(i int) func(ctx context.Context)) {
	if ctx == nil { // the functions that next calls say so
		ctx = context.Background()
	}
	noise := o.noiseOf(ctx, some)
	stage.NewStack(stage.DefaultReach, func(i int) func(p *stage.Page) {
		run := next(i)
		if run == nil {
			return nil
		}
		return func(p *stage.Page) { run(withNoise(withPage(ctx, p), noise)) }
	}).Run()
}

// meanOfPages replaces the planes for the network by their mean with the neighbouring pages along the motion. It
// returns the noise that is left, as shares of the level; nil if the image is alone.
func (n evenNoise) meanOfPages(j job, planes [][]float32, img image) ([]float32, error) {
	if j.page == nil || j.Quality == Fast || min(img.width, img.height) < patchSide {
		return nil, nil
	}
	j.page.Enter(j.channel * maxTiles)
	gray := img.gray(j.pool())
	sigma := n.sigma / math.Sqrt(float64(len(img.planes)))
	m, err := ModelSet{name: models.Local}.choose(255 * sigma / n.unit)
	if err != nil {
		return nil, err
	}
	steps, err := chain{local: plans[whiteNoise][Fast].luma.local}.steps(m, ModelSet{})
	if err != nil {
		return nil, err
	}
	guide, err := steps.For(0, j.Workers, nil).Denoise(j.ctx, gray, sigma)
	if err != nil {
		return nil, err
	}
	scaled(&gray, gray, 1/sigma, j.Workers)
	scaled(&guide, guide, 1/sigma, j.Workers)
	var all []patchify.Plane
	for _, p := range planes {
		all = append(all, patchify.Plane{Width: img.width, Height: img.height, Pix: p})
	}
	mean, err := j.page.Mean(j.ctx, all, gray, guide, j.Workers)
	if err != nil || mean.Level == nil {
		return nil, err
	}
	for i, p := range mean.Planes {
		copy(planes[i], p)
	}
	return mean.Level, nil
}

// gray returns a copy of a gray image, or the mean of red, green and blue.
func (img image) gray(by pool) patchify.Plane {
	if len(img.planes) == 3 {
		return patchify.Plane{Width: img.width, Height: img.height, Pix: img.mean(by)}
	}
	return patchify.Plane{Width: img.width, Height: img.height, Pix: slices.Clone(img.planes[0])}
}
