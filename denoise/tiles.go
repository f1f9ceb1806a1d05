package denoise

import (
	"context"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// tiler denoises planes in place, tile by tile from left to right and from top to bottom. A tile is denoised within a
// window that also has the samples around it that models need. Tiles above and to the left are overwritten before, so
// the window takes their samples from copies of their edges. In each tile the planes run one after the other, so that
// the second and third use the groups of the first.
type tiler struct {
	planes        []*planeTiles
	progress      *stage.Progress
	side, align   int // side is about that of a tile, 0 = cutPlane chooses it; see margins for align
	workers       int
	margin        int            // how many samples around a tile its window has
	scratch       *stage.Scratch // memory for windows; it does not last where a page waits for others
	clamp         *clamp         // nil = no bound
	waiting       []part         // results of the tile that wait for those of the other planes, for the clamp
	chroma        *chromaTiles   // if both chroma planes are denoised together
	matchesAtHalf *stage.Matches // of the tile, for both chroma planes
	page          *stage.Page    // of the image
	unit          int            // number of the tile for the page
	colours       []stage.Beside // chroma, if it takes part in the passes
}

// planeTiles is the state of one plane.
type planeTiles struct {
	plane        patchify.Plane
	pilot        patchify.Plane // see task
	network      float32        // see planeModel
	steps        stage.Steps
	denoiser     *stage.Denoiser // nil if chromaTiles denoises the plane
	sigma        float64
	strength     float32   // share of the denoised samples in the result
	left         []float32 // samples to the left of the tile: t.margin columns, height of the tile
	above, below []float32 // samples above this row of tiles, and above the next one: t.margin rows
}

// Buffers of the memory of a tiler.
const (
	noisyWindow = iota
	pilotWindow
	firstWaiting // of two planes
	_
	firstColour // noisy and pilot of two planes
)

// maxTiles is more than the tiles of any image.
const maxTiles = 1 << 20

// task is a plane and the model for it.
type task struct {
	plane patchify.Plane
	pilot patchify.Plane // what a network made of the plane; empty if there is none
	planeModel
}

// newTiler prepares to denoise planes of one size.
func newTiler(tasks []task, j job, c *clamp) *tiler {
	t := &tiler{progress: stage.NewProgress(j.Progress), side: j.tileSide, align: 1, workers: j.Workers, clamp: c,
		page: j.page, unit: j.channel * maxTiles, scratch: j.page.Scratch()}
	var models []planeModel
	for i, k := range tasks {
		models = append(models, k.planeModel)
		p := &planeTiles{plane: k.plane, pilot: k.pilot, network: k.network, steps: k.run(j.Workers, t.progress),
			sigma: k.sigma, strength: j.strength(i)}
		t.planes = append(t.planes, p)
		if k.ownSteps() {
			if i == 0 {
				for s := range p.steps {
					p.steps[s].Page = j.page
				}
			}
			p.denoiser = p.steps.NewDenoiser()
			if p.denoiser.Share(t.planes[0].denoiser); i == 0 {
				p.denoiser.Use(t.scratch)
			}
		}
		if k.chroma != nil && t.chroma == nil {
			t.chroma = newChromaTiles(k.chroma, stage.Options{PilotShare: k.pilotShare, Workers: j.Workers,
				Progress: t.progress})
			t.chroma.within = j.within
			t.chroma.share(t.planes[0].denoiser)
		}
	}
	t.takeColours(tasks)
	m := marginsOf(models)
	t.align, t.margin = m.align, m.after
	return t
}

func (t *tiler) denoise(ctx context.Context) error {
	columns, rows := t.cutPlane(t.planes[0].plane.Width, t.planes[0].plane.Height)
	t.expect(columns, rows)
	if err := t.prepareChroma(ctx); err != nil {
		return err
	}
	for _, ys := range rows {
		for _, xs := range columns {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := t.denoiseTile(ctx, xs, ys); err != nil {
				return err
			}
		}
		for _, p := range t.planes {
			p.above, p.below = p.below, p.above
		}
	}
	return nil
}

// expect tells progress the amount of work of all tiles.
func (t *tiler) expect(columns, rows []span) {
	if t.progress == nil {
		return
	}
	for _, ys := range rows {
		for _, xs := range columns {
			w, h := t.widen(xs, t.planes[0].plane.Width).len(), t.widen(ys, t.planes[0].plane.Height).len()
			for _, p := range t.planes {
				if p.denoiser != nil {
					t.progress.Expect(p.steps.Work(w, h))
				}
			}
			if t.chroma != nil {
				t.progress.Expect(t.chroma.workOfTile(w, h))
			}
		}
	}
	if t.chroma != nil && t.chroma.needsWhole() {
		t.progress.Expect(t.chroma.work(t.planes[0].plane.Width, t.planes[0].plane.Height))
	}
}

// rows calls work for the rows of an area of some width, several at a time.
func (t *tiler) rows(width int, ys span, work func(y int)) {
	pool{workers: t.workers}.rows(width, ys.len(), func(from, to int) {
		for y := from; y < to; y++ {
			work(ys.from + y)
		}
	})
}

func (t *tiler) denoiseTile(ctx context.Context, xs, ys span) error {
	t.page.Enter(t.unit)
	t.unit++
	beside := t.beside(xs, ys)
	for i, p := range t.planes {
		w := t.read(p, xs, ys)
		refined := i > 0 && t.chroma != nil // then its noisy window will be read again
		if !refined {
			t.keep(p, xs, ys)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var own func() error
		if p.denoiser != nil {
			own = func() error {
				matches, err := t.matchesFor(ctx, i)
				if err != nil {
					return err
				}
				if p.pilot.Pix == nil {
					return p.denoiser.Denoise(ctx, w, p.sigma, matches)
				}
				p.denoiser.With(beside)
				if err := p.denoiser.DenoiseFrom(ctx, w, t.pilotOf(p, xs, ys), p.sigma, matches); err != nil {
					return err
				}
				p.mix(w, t.pilotOf(p, xs, ys), t.page.Own(), t.workers)
				return nil
			}
		}
		if p.pilot.Pix != nil && p.denoiser == nil {
			own = func() error {
				if copy(w.Pix, t.pilotOf(p, xs, ys).Pix); beside != nil {
					fromUnits(w, beside[i-1].Pilot, p.sigma, t.workers)
				}
				return nil
			}
		}
		var err error
		if refined {
			err = t.chroma.makePilot(ctx, i-1, w, t.windowOf(xs, ys), p.sigma, own)
		} else {
			err = own()
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.chroma != nil {
			t.chroma.keep(i, w, t.planes[1].sigma)
		}
		if refined {
			continue
		}
		t.write(i, w, xs, ys)
	}
	if t.chroma == nil {
		return nil
	}
	return t.refineChroma(ctx, xs, ys)
}

// mix gives the network its share in a denoised window. Own is the share of the page's own patches in its groups:
// patches of other pages tell more than the network.
func (p *planeTiles) mix(w, pilot patchify.Plane, own float32, workers int) {
	share := p.network * own
	pool{workers: workers}.pieces(len(w.Pix), func(from, to int) {
		out := w.Pix[from:to]
		for i, v := range pilot.Pix[from:to] {
			out[i] += share * (v - out[i])
		}
	})
}

// pilotOf copies the window of a tile from what the network made of a plane.
func (t *tiler) pilotOf(p *planeTiles, xs, ys span) patchify.Plane {
	area := t.windowOf(xs, ys)
	w := patchify.Plane{Width: area.Dx(), Height: area.Dy(), Pix: t.scratch.Buffer(pilotWindow, area.Dx()*area.Dy())}
	t.rows(w.Width, span{0, w.Height}, func(y int) {
		copy(w.Row(y), p.pilot.Row(area.Min.Y + y)[area.Min.X:])
	})
	return w
}

// matchesFor returns the groups of similar patches for plane i, or nil if the plane has to search. The first plane
// searches. The others use its groups. If their pass runs at half the size, they use groups of the finished luma at
// that size.
func (t *tiler) matchesFor(ctx context.Context, i int) (*stage.Matches, error) {
	switch {
	case i == 0:
		return nil, nil
	case t.chroma == nil || t.planes[i].steps.Passes() > 0:
		return t.planes[0].denoiser.Matches(), nil
	}
	if i == 1 {
		var err error
		if t.matchesAtHalf, err = t.planes[i].denoiser.MatchesAtHalf(ctx, t.chroma.planes.Luma); err != nil {
			return nil, err
		}
	}
	return t.matchesAtHalf, nil
}

// windowOf returns where the window of a tile is.
func (t *tiler) windowOf(xs, ys span) goimage.Rectangle {
	wx, wy := t.widen(xs, t.planes[0].plane.Width), t.widen(ys, t.planes[0].plane.Height)
	return goimage.Rect(wx.from, wy.from, wx.to, wy.to)
}

// read copies the noisy samples of the window of a tile.
func (t *tiler) read(p *planeTiles, xs, ys span) patchify.Plane {
	width := p.plane.Width
	wx, wy := t.widen(xs, width), t.widen(ys, p.plane.Height)
	w := t.windowFor(wx, wy)
	t.rows(w.Width, wy, func(y int) {
		row := p.plane.Row(y)
		if y < ys.from {
			row = p.above[(y-ys.from+t.margin)*width:][:width]
		}
		out := w.Row(y - wy.from)
		copy(out, row[wx.from:wx.to])
		if xs.from > 0 && ys.from <= y && y < ys.to {
			copy(out[:xs.from-wx.from], p.left[(y-ys.from)*t.margin:])
		}
	})
	return w
}

// keep copies the right and the lower edge of a tile before it is overwritten, for the windows of its neighbours.
func (t *tiler) keep(p *planeTiles, xs, ys span) {
	width := p.plane.Width
	if xs.to < width {
		p.left = hugepage.Grow(p.left, ys.len()*t.margin)
		for y := ys.from; y < ys.to; y++ {
			copy(p.left[(y-ys.from)*t.margin:][:t.margin], p.plane.Row(y)[xs.to-t.margin:])
		}
	}
	if ys.to < p.plane.Height {
		p.below = hugepage.Grow(p.below, width*t.margin)
		for i := range t.margin {
			copy(p.below[i*width:][xs.from:xs.to], p.plane.Row(ys.to - t.margin + i)[xs.from:])
		}
	}
}

// windowFor returns memory for a window.
func (t *tiler) windowFor(wx, wy span) patchify.Plane {
	return patchify.Plane{Width: wx.len(), Height: wy.len(), Pix: t.scratch.Buffer(noisyWindow, wx.len()*wy.len())}
}

// part is a rectangle of a plane.
type part struct {
	patchify.Plane
	xs, ys span
}

// row returns a row of the part.
func (p part) row(y int) []float32 { return p.Row(p.ys.from + y)[p.xs.from:p.xs.to] }

// write puts a tile of plane i back, blended with the noisy samples by the strength. Where there is a clamp, which
// needs the results of all planes and the noisy samples, the result waits for the last plane.
func (t *tiler) write(i int, w patchify.Plane, xs, ys span) {
	p := t.planes[i]
	wx, wy := t.widen(xs, p.plane.Width), t.widen(ys, p.plane.Height)
	result := part{w, span{xs.from - wx.from, xs.to - wx.from}, span{ys.from - wy.from, ys.to - wy.from}}
	p.blend(part{p.plane, xs, ys}, result, t.workers)
	if t.clamp == nil {
		result.copyTo(part{p.plane, xs, ys}, t.workers)
		return
	}
	if i < len(t.planes)-1 {
		t.wait(i, result)
		return
	}
	results, noisy := append(t.waiting, result), []part(nil)
	for _, p := range t.planes {
		noisy = append(noisy, part{p.plane, xs, ys})
	}
	t.clamp.keep(noisy, results, t.workers)
	for i, r := range results {
		r.copyTo(noisy[i], t.workers)
	}
	t.waiting = t.waiting[:0]
}

// wait keeps a copy of the result of plane i.
func (t *tiler) wait(i int, result part) {
	all := part{xs: span{0, result.xs.len()}, ys: span{0, result.ys.len()}}
	all.Plane = patchify.Plane{Width: all.xs.to, Height: all.ys.to,
		Pix: t.scratch.Buffer(firstWaiting+i, all.xs.to*all.ys.to)}
	result.copyTo(all, t.workers)
	t.waiting = append(t.waiting, all)
}

// eachRow calls work for the rows of the part, several at a time.
func (p part) eachRow(workers int, work func(y int)) {
	pool{workers: workers}.rows(p.xs.len(), p.ys.len(), func(from, to int) {
		for y := from; y < to; y++ {
			work(y)
		}
	})
}

// copyTo copies the part to another one of its size.
func (p part) copyTo(dst part, workers int) {
	p.eachRow(workers, func(y int) { copy(dst.row(y), p.row(y)) })
}

// blend mixes a result with the noisy samples by the strength.
func (p *planeTiles) blend(noisy, result part, workers int) {
	if p.strength == 1 {
		return
	}
	result.eachRow(workers, func(y int) {
		out := result.row(y)
		for x, v := range noisy.row(y) {
			out[x] = v + p.strength*(out[x]-v)
		}
	})
}
