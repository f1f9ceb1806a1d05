package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/models"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// The chroma of white noise is denoised at several sizes: that of the picture, half of it, a quarter, and so on. At each next size noise is
// half as strong, and blotches are half as wide. A patch does not see a blotch that is wider; at a smaller size it does. The result at a size
// replaces the low frequencies at the next larger one (see stage.Correct).
//
// The picture and its half are denoised in tiles. The sizes below are small enough to be denoised at once (see wholeChroma): margins that
// reach as far as they see would make tiles overlap too much.
const (
	chromaSizes = 6 // the smallest is 1/32
	wholeSize   = 2 // the first size that is denoised at once: 1/4
	wholeSide   = 1 << wholeSize
)

// chromaSmoothing is how often the low frequencies from a smaller size are smoothed.
const chromaSmoothing = 1

// halfPasses is how many passes at half the size make pilots for broad noise at balanced quality.
const halfPasses = 2

// pilotStride is the distance of patches for pilots of chroma, in samples. The guided stages are trained with it.
const pilotStride = 4

// chromaModels denoise both chroma planes of an image with white noise. Local stages make a pilot of each. The guided stages see the pilots
// and the denoised luma.
//
// Passes make better pilots, but take their time. Best quality has them at full size. For broad noise, balanced quality has some at half the size
// (see stage.Sequence.PassesAtHalf). The guided stages for broad noise look at a smaller size themselves, and need no other pilots there.
type chromaModels struct {
	level  float64                     // the noise of chroma at full size, in grey levels of a gray image of usual range
	passes bool                        // the pilots at full size come from the stages of each plane
	share  float64                     // how many times as strong the noise of luma is
	pilots [chromaSizes]stage.Sequence // of chroma, for the noise at each size
	lumas  [chromaSizes]stage.Sequence // of luma, from wholeSize on: tiles have the luma of all passes
	guided stage.Sequence              // at all sizes
	sizes  bool                        // there are smaller sizes
}

func newChromaModels(level, share float64, passes bool) (m *chromaModels, err error) {
	m = &chromaModels{level: level, share: share, passes: passes, sizes: true}
	for size := range chromaSizes {
		if m.pilots[size], err = localStages(m.levelAt(size) / contrast[1]); err != nil {
			return nil, err
		}
		if m.lumas[size], err = localStages(share * m.levelAt(size) / contrast[0]); err != nil {
			return nil, err
		}
	}
	m.guided, err = shippedStages(models.Chroma)
	return m, err
}

// chromaAfterNetwork returns the models for pilots that a network makes. They need no smaller sizes: the network sees those itself.
func chromaAfterNetwork(level float64) (m *chromaModels, err error) {
	m = &chromaModels{level: level}
	m.guided, err = shippedStages(models.Chroma)
	return m, err
}

// broadChroma returns the models for broad noise.
func broadChroma(level float64, passes bool) (m *chromaModels, err error) {
	m = &chromaModels{level: level, passes: passes}
	if m.pilots[0], err = localStages(level / contrast[1]); err != nil {
		return nil, err
	}
	m.guided, err = shippedStages(models.BroadChroma)
	return m, err
}

// localStages returns the shipped local stages for a level of noise.
func localStages(level float64) (stage.Sequence, error) {
	local, err := models.Named(models.Local)
	if err != nil {
		return nil, err
	}
	m, err := local.Choose(level)
	if err != nil {
		return nil, err
	}
	return m.Stages, nil
}

// levelAt returns the noise of chroma at a size.
func (m *chromaModels) levelAt(size int) float64 { return m.level / float64(int(1)<<size) }

// chromaRun returns the options that pilots and guided stages of chroma run with.
func chromaRun(run stage.Options) stage.Options {
	return stage.Options{Stride: pilotStride, PilotShare: run.PilotShare, Workers: run.Workers, Progress: run.Progress}
}

// margins returns the margins of tiles, given those of the stages of the planes. Chroma has pilots at the sizes before wholeSize. Then the guided
// stages see the pilots and the luma.
func (m *chromaModels) margins(own margins, run stage.Options) margins {
	run = chromaRun(run)
	all := margins{align: 1}
	if m.sizes {
		all.align = wholeSide
	}
	for size := wholeSize - 1; size >= 0; size-- {
		if m.pilots[size] == nil {
			continue
		}
		after := own.after
		if size > 0 || !m.passes {
			q := m.pilots[size]
			all.align = stage.LeastCommonMultiple(all.align, q.Alignment(run)<<size)
			after = q.Reach(run) + 1
		}
		all.after = max(after, 2*all.after)
		if m.sizes {
			all.after += stage.CorrectReach(chromaSmoothing)
		}
	}
	all = all.union(own)
	all.align = stage.LeastCommonMultiple(all.align, m.guided.Alignment(run))
	all.after += m.guided.Reach(run)
	return all
}

// work estimates the time for the sizes that are denoised at once.
func (m *chromaModels) work(width, height int, run stage.Options) (sum float64) {
	run = chromaRun(run)
	for size := wholeSize; size < chromaSizes && m.sizes; size++ {
		w, h := width>>size+1, height>>size+1
		sum += 2*m.pilots[size].Work(w, h, run) + m.lumas[size].Work(w, h, run) + 2*m.guided.Work(w, h, run)
	}
	return sum
}

// denoise returns the denoised chroma of planes at a size, luma first, given the noise of chroma. It overwrites the luma.
func (m *chromaModels) denoise(ctx context.Context, size int, planes [3]patchify.Plane, sigma float64, run stage.Options) (done [2]patchify.Plane, err error) {
	var coarse [2]patchify.Plane
	if size+1 < chromaSizes {
		var half [3]patchify.Plane
		for i, p := range planes {
			half[i] = patchify.Downsample2(p)
		}
		if coarse, err = m.denoise(ctx, size+1, half, sigma/2, run); err != nil {
			return done, err
		}
	}
	c := stage.Chroma{Level: stage.Level(m.levelAt(size))}
	for i := range c.Pilot {
		out, err := m.pilots[size].Denoise(ctx, planes[1+i], sigma, run)
		if err != nil {
			return done, err
		}
		if size+1 < chromaSizes {
			stage.Correct(out, out, coarse[i], chromaSmoothing)
		}
		scaled(&c.Pilot[i], out, 1/sigma)
	}
	if err := m.lumas[size].NewDenoiser(run).Denoise(ctx, planes[0], m.share*sigma, nil); err != nil {
		return done, err
	}
	scaled(&c.Luma, planes[0], 1/sigma)
	var noisy patchify.Plane
	c.Noisy = func(i int) patchify.Plane {
		scaled(&noisy, planes[1+i], 1/sigma)
		return noisy
	}
	spare := patchify.NewPlane(c.Luma.Width, c.Luma.Height)
	err = m.guided.RunChroma(ctx, c, spare, func(i int, result patchify.Plane) {
		done[i] = unscaled(result, planes[0].Width, planes[0].Height, sigma)
	}, run)
	return done, err
}

// unscaled returns a multiple of the upper left part of a plane.
func unscaled(src patchify.Plane, width, height int, factor float64) patchify.Plane {
	dst := patchify.NewPlane(width, height)
	for y := range height {
		row := dst.Row(y)
		for x, v := range src.Row(y)[:width] {
			row[x] = v * float32(factor)
		}
	}
	return dst
}
