package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// The chroma of white noise is denoised at several sizes: that of the picture, half of it, a quarter, and so on. At
// each next size noise is half as strong, and blotches are half as wide. A blotch that is wider than a patch fits into
// one at a smaller size. The result at a size replaces the low frequencies at the next larger one (see stage.Correct).
//
// The picture and its half are denoised in tiles. The sizes below are small enough to be denoised at once (see
// wholeChroma): tiles with margins for them would overlap too much.
const (
	chromaSizes = 6 // the smallest is 1/32
	wholeSize   = 2 // the first size that is denoised at once: 1/4
	wholeSide   = 1 << wholeSize
)

// chromaSmoothing is how often the low frequencies from a smaller size are smoothed.
const chromaSmoothing = 1

// pilotStride is the distance of patches for pilots of chroma, in samples. The guided stages are trained with it.
const pilotStride = 4

// chromaModels denoise both chroma planes of an image. A pilot of each comes from a network, from the chain of the
// plane, or from local stages. The guided stages get the pilots and the denoised luma.
type chromaModels struct {
	level  float64                  // the noise of chroma at full size, in gray levels of a gray image of usual range
	own    bool                     // the pilots at full size come from the chain of each plane
	share  float64                  // how many times as strong the noise of luma is
	pilots [chromaSizes]stage.Steps // of chroma, for the noise at each size
	lumas  [chromaSizes]stage.Steps // of luma, from wholeSize on: tiles have the luma of all passes
	guided stage.Sequence           // at all sizes
	sizes  bool                     // there are smaller sizes
}

// newChromaModels returns the models of a plan, of a set. Level is the noise of chroma; that of luma is share times as
// strong. The network may have made pilots.
func newChromaModels(p chromaPlan, s ModelSet, level, share float64, network bool) (m *chromaModels, err error) {
	m = &chromaModels{level: level, share: share, own: !p.chain.none(), sizes: p.sizes}
	if m.guided, err = s.refining(p.model); err != nil || network {
		return m, err
	}
	for size := range chromaSizes {
		if size > 0 && !p.sizes {
			break
		}
		if m.pilots[size], err = pilotSteps(m.levelAt(size) / contrast[1]); err != nil {
			return nil, err
		}
		if m.lumas[size], err = pilotSteps(share * m.levelAt(size) / contrast[0]); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// pilotSteps returns the shipped local stages for a level of noise, as they make pilots of chroma.
func pilotSteps(level float64) (stage.Steps, error) {
	local, err := models.Named(models.Local)
	if err != nil {
		return nil, err
	}
	m, err := local.Choose(level)
	if err != nil {
		return nil, err
	}
	return m.Stages.Steps(stage.Options{Stride: pilotStride}), nil
}

// levelAt returns the noise of chroma at a size.
func (m *chromaModels) levelAt(size int) float64 { return m.level / float64(int(1)<<size) }

// margins returns the margins of tiles, given those of the stages of the planes. Chroma has pilots at the sizes before
// wholeSize. Then the guided stages get the pilots and the luma.
func (m *chromaModels) margins(own margins) margins {
	all := margins{align: 1}
	if m.sizes {
		all.align = wholeSide
	}
	for size := wholeSize - 1; size >= 0; size-- {
		if m.pilots[size] == nil {
			continue
		}
		after := own.after
		if size > 0 || !m.own {
			q := m.pilots[size]
			all.align = stage.LeastCommonMultiple(all.align, q.Alignment()<<size)
			after = q.Reach() + 1
		}
		all.after = max(after, 2*all.after)
		if m.sizes {
			all.after += stage.CorrectReach(chromaSmoothing)
		}
	}
	all = all.union(own)
	guided := m.guided.Steps(stage.Options{})
	all.align = stage.LeastCommonMultiple(all.align, guided.Alignment())
	all.after += guided.Reach()
	return all
}

// work estimates the time for the sizes that are denoised at once.
func (m *chromaModels) work(width, height int) (sum float64) {
	for size := wholeSize; size < chromaSizes && m.sizes; size++ {
		w, h := width>>size+1, height>>size+1
		sum += 2*m.pilots[size].Work(w, h) + m.lumas[size].Work(w, h) + 2*m.guided.Steps(stage.Options{}).Work(w, h)
	}
	return sum
}

// denoise returns the denoised chroma of planes at a size, luma first, given the noise of chroma. It overwrites the
// luma.
func (m *chromaModels) denoise(ctx context.Context, size int, planes [3]patchify.Plane, sigma float64,
	run stage.Options) (done [2]patchify.Plane, err error) {
	var coarse [2]patchify.Plane
	if size+1 < chromaSizes {
		var half [3]patchify.Plane
		for i, p := range planes {
			half[i] = patchify.Downsample2(p, run.Workers)
		}
		if coarse, err = m.denoise(ctx, size+1, half, sigma/2, run); err != nil {
			return done, err
		}
	}
	c := stage.Chroma{Level: stage.Level(m.levelAt(size))}
	for i := range c.Pilot {
		out, err := m.pilots[size].For(0, run.Workers, run.Progress).Denoise(ctx, planes[1+i], sigma)
		if err != nil {
			return done, err
		}
		if size+1 < chromaSizes {
			stage.Correct(out, out, coarse[i], chromaSmoothing, run.Workers)
		}
		scaled(&c.Pilot[i], out, 1/sigma, run.Workers)
	}
	if err := m.lumas[size].For(0, run.Workers, run.Progress).NewDenoiser().Denoise(ctx, planes[0], m.share*sigma,
		nil); err != nil {
		return done, err
	}
	scaled(&c.Luma, planes[0], 1/sigma, run.Workers)
	var noisy patchify.Plane
	c.Noisy = func(i int) patchify.Plane {
		scaled(&noisy, planes[1+i], 1/sigma, run.Workers)
		return noisy
	}
	err = m.guided.RunChroma(ctx, c, stage.Steps(nil).NewDenoiser(), func(i int, result patchify.Plane) {
		done[i] = unscaled(result, planes[0].Width, planes[0].Height, sigma)
	}, run)
	return done, err
}
