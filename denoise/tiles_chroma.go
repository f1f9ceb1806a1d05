package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// chromaTiles runs stages that need guides on the chroma planes of a window, when its luma is done. It works in units of the noise of chroma.
type chromaTiles struct {
	pilot  stage.Sequence // the stages before them
	guided stage.Sequence
	run    stage.Options // of the pilots
	planes stage.Chroma
	noisy  patchify.Plane // one of the planes at a time
	spare  patchify.Plane
}

// pilotStride is the distance of patches for pilots of chroma that are made by local stages alone, in samples. The guided stages are trained
// with it.
const pilotStride = 4

// The correction of these pilots. Without it, blotches wider than a patch would stay.
const (
	chromaSmoothing = 2
	chromaLevels    = 3
)

// newChromaTiles returns nil if no stages of chroma need guides.
func newChromaTiles(stages []stage.Sequence, run stage.Options) *chromaTiles {
	if len(stages) < 3 {
		return nil
	}
	pilot, guided := stages[1].Cut()
	if len(guided) == 0 {
		return nil
	}
	run.Stride, run.PilotStride = pilotStride, 0
	return &chromaTiles{pilot: chromaPilot(pilot), guided: guided, run: run}
}

// chromaPilot returns the stages that make the pilot of a chroma plane: the local ones of a model, and the correction.
func chromaPilot(stages stage.Sequence) stage.Sequence {
	return append(stages.Local(), &stage.Correction{Smoothing: chromaSmoothing, Levels: chromaLevels})
}

// keep copies the window of a plane after its own stages.
func (c *chromaTiles) keep(plane int, w patchify.Plane, sigma float64) {
	if plane == 0 {
		scaled(&c.planes.Luma, w, 1/sigma)
		return
	}
	scaled(&c.planes.Pilot[plane-1], w, 1/sigma)
}

// scaled sets dst to a multiple of src, padded to the size of a patch.
func scaled(dst *patchify.Plane, src patchify.Plane, factor float64) {
	src = patchify.Pad(src, patchSide)
	*dst = patchify.Plane{Width: src.Width, Height: src.Height, Pix: grow(dst.Pix, len(src.Pix))}
	for i, v := range src.Pix {
		dst.Pix[i] = v * float32(factor)
	}
}

// patchSide is the side of the smallest plane for guided stages.
const patchSide = 8

// refineChroma runs the guided stages on the window of a tile and writes the tile. The planes still hold the noisy samples.
func (t *tiler) refineChroma(ctx context.Context, xs, ys span) error {
	c := t.chroma
	size := c.planes.Luma
	c.spare = patchify.Plane{Width: size.Width, Height: size.Height, Pix: grow(c.spare.Pix, len(size.Pix))}
	c.planes.Noisy = func(i int) patchify.Plane {
		p := t.planes[1+i]
		scaled(&c.noisy, t.read(p, xs, ys), 1/p.sigma)
		return c.noisy
	}
	return c.guided.RunChroma(ctx, c.planes, c.spare, func(i int, result patchify.Plane) {
		p := t.planes[1+i]
		wx, wy := t.widen(xs, p.plane.Width), t.widen(ys, p.plane.Height)
		w := patchify.Plane{Width: wx.len(), Height: wy.len(), Pix: t.window}
		for y := range w.Height {
			row := w.Row(y)
			for x, v := range result.Row(y)[:len(row)] {
				row[x] = v * float32(p.sigma)
			}
		}
		t.keep(p, xs, ys)
		t.write(p, w, xs, ys)
	}, t.run)
}
