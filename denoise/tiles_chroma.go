package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// chromaTiles denoises the chroma planes of a window, when its luma is done. It works in units of the noise of chroma.
type chromaTiles struct {
	*chromaModels
	run    stage.Options
	pilot  [wholeSize]*stage.Denoiser
	within within // chroma is nil until the first tile
	planes stage.Chroma
	memory *stage.Denoiser // for results: it does not run at the same time
}

func newChromaTiles(m *chromaModels, run stage.Options) *chromaTiles {
	c := &chromaTiles{chromaModels: m, run: run, memory: stage.Steps(nil).NewDenoiser()}
	c.planes.Level = stage.Level(m.level)
	for size := range c.pilot {
		if m.pilots[size] != nil {
			c.pilot[size] = m.pilots[size].For(0, run.Workers, run.Progress).NewDenoiser()
		}
	}
	return c
}

// share makes the pilots use the memory of the denoiser for luma.
func (c *chromaTiles) share(luma *stage.Denoiser) {
	if luma == nil {
		return
	}
	if c.memory.Share(luma); c.pilot[0] != nil {
		c.pilot[0].Share(luma)
	}
}

// needsWhole reports whether the chroma of the whole image has to be denoised at a small size first.
func (c *chromaTiles) needsWhole() bool { return c.sizes && c.within.chroma == nil }

// makePilot replaces a noisy window of plane i, 0 or 1, by its pilot. Own denoises it with the stages of the plane; nil
// if it has none.
func (c *chromaTiles) makePilot(ctx context.Context, i int, w patchify.Plane, area goimage.Rectangle, sigma float64,
	own func() error) error {
	if own == nil {
		own = func() error { return c.pilot[0].Denoise(ctx, w, sigma, nil) }
	}
	if !c.sizes {
		return own()
	}
	half := patchify.Downsample2(w, c.run.Workers)
	if err := c.pilot[1].Denoise(ctx, half, sigma/2, nil); err != nil {
		return err
	}
	stage.Correct(half, half, c.within.chroma.part(i, area.Add(c.within.at)), chromaSmoothing, c.run.Workers)
	if err := own(); err != nil {
		return err
	}
	stage.Correct(w, w, half, chromaSmoothing, c.run.Workers)
	return nil
}

// workOfTile estimates the time for a window.
func (c *chromaTiles) workOfTile(width, height int) float64 {
	sum := c.guided.Steps(stage.Options{}).Work(width, height)
	for size := range c.pilots[:wholeSize] {
		if c.pilot[size] == nil || size == 0 && c.own {
			continue
		}
		sum += c.pilots[size].Work(width>>size, height>>size)
	}
	return 2 * sum
}

// prepareChroma denoises the chroma of all of the planes at a small size, unless they are a part of a larger image.
func (t *tiler) prepareChroma(ctx context.Context) error {
	c := t.chroma
	if c == nil || !c.needsWhole() {
		return nil
	}
	img := image{nil, t.planes[0].plane.Width, t.planes[0].plane.Height}
	for _, p := range t.planes {
		img.planes = append(img.planes, p.plane.Pix)
	}
	small, err := img.shrink(ctx, c.run.Workers, func(rows [][]float32) [][]float32 { return rows })
	if err != nil {
		return err
	}
	whole, err := c.whole(ctx, small, t.planes[1].sigma, c.run)
	c.within = within{chroma: whole}
	return err
}

// keep copies the window of a plane after its own stages.
func (c *chromaTiles) keep(plane int, w patchify.Plane, sigma float64) {
	if plane == 0 {
		scaled(&c.planes.Luma, w, 1/sigma, c.run.Workers)
		return
	}
	scaled(&c.planes.Pilot[plane-1], w, 1/sigma, c.run.Workers)
}

// refineChroma runs the guided stages on the window of a tile and writes the tile. The planes still hold the noisy
// samples.
func (t *tiler) refineChroma(ctx context.Context, xs, ys span) error {
	c := t.chroma
	c.planes.Noisy = func(i int) patchify.Plane {
		p := t.planes[1+i]
		w := t.read(p, xs, ys)
		scaled(&w, w, 1/p.sigma, t.workers)
		return w
	}
	return c.guided.RunChroma(ctx, c.planes, c.memory, func(i int, result patchify.Plane) {
		p := t.planes[1+i]
		wx, wy := t.widen(xs, p.plane.Width), t.widen(ys, p.plane.Height)
		w := t.windowFor(wx, wy)
		fromUnits(w, result, p.sigma, t.workers)
		t.keep(p, xs, ys)
		t.write(1+i, w, xs, ys)
	}, c.run)
}
