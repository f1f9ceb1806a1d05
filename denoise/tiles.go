package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// DefaultTileSide keeps the memory for a tile near 100 MB, and the work on margins below 5 %.
const DefaultTileSide = 2560

// tiler denoises a plane in place, tile by tile from left to right and from top to bottom. A tile is denoised within a
// window that is larger by what the model looks at around it. Where tiles above and to the left have already been
// overwritten, the window takes the samples from copies of their edges.
type tiler struct {
	model         *model.Denoiser
	sigma         float64
	strength      float32
	side, align   int
	before, after int       // margins: left and above, right and below
	window        []float32 // memory of a window
	left          []float32 // before x height of the tile: what was left of it
	above, below  []float32 // width of the plane x before: what was above this row of tiles, and will be above the next
}

func newTiler(m *model.Model, sigma float64, o Options) *tiler {
	run := model.Options{Stride: o.Stride, Workers: o.Workers}
	t := &tiler{sigma: sigma, strength: float32(o.Strength), side: o.TileSide, align: m.Alignment(run),
		after: m.Reach() + 1, model: m.NewDenoiser(run)}
	if t.side == 0 {
		t.side = DefaultTileSide
	}
	t.before = roundUp(t.after, t.align) // so that the window's patches are those of the whole plane
	return t
}

// span is a range of positions from..to-1 on an axis.
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

// cut divides an axis into tiles of about equal length, none of them but the last shorter than a margin.
func (t *tiler) cut(length int) []span {
	count := (length + t.side - 1) / t.side
	side := max(t.before, roundUp((length+count-1)/count, t.align))
	var tiles []span
	for from := 0; from < length; from += side {
		tiles = append(tiles, span{from, min(from+side, length)})
	}
	return tiles
}

// widen adds the margins to a tile.
func (t *tiler) widen(tile span, length int) span {
	return span{max(0, tile.from-t.before), min(length, tile.to+t.after)}
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }

func (t *tiler) denoise(ctx context.Context, p patchify.Plane) error {
	columns, rows := t.cut(p.Width), t.cut(p.Height)
	if len(rows) > 1 {
		t.above, t.below = grow(t.above, p.Width*t.before), grow(t.below, p.Width*t.before)
	}
	for _, ys := range rows {
		for _, xs := range columns {
			w := t.read(p, xs, ys)
			t.keep(p, xs, ys)
			if err := t.model.Denoise(ctx, w, t.sigma); err != nil {
				return err
			}
			t.write(p, w, xs, ys)
		}
		t.above, t.below = t.below, t.above
	}
	return nil
}

// read copies the window of a tile as it was before any tile was denoised.
func (t *tiler) read(p patchify.Plane, xs, ys span) patchify.Plane {
	wx, wy := t.widen(xs, p.Width), t.widen(ys, p.Height)
	t.window = grow(t.window, wx.len()*wy.len())
	w := patchify.Plane{Width: wx.len(), Height: wy.len(), Pix: t.window}
	for y := wy.from; y < wy.to; y++ {
		row := p.Row(y)
		if y < ys.from {
			row = t.above[(y-ys.from+t.before)*p.Width:][:p.Width]
		}
		out := w.Row(y - wy.from)
		copy(out, row[wx.from:wx.to])
		if xs.from > 0 && ys.from <= y && y < ys.to {
			copy(out[:xs.from-wx.from], t.left[(y-ys.from)*t.before:])
		}
	}
	return w
}

// keep copies the right and the lower edge of a tile that is about to be overwritten, for the windows of its neighbours.
func (t *tiler) keep(p patchify.Plane, xs, ys span) {
	if xs.to < p.Width {
		t.left = grow(t.left, ys.len()*t.before)
		for y := ys.from; y < ys.to; y++ {
			copy(t.left[(y-ys.from)*t.before:][:t.before], p.Row(y)[xs.to-t.before:])
		}
	}
	if ys.to < p.Height {
		for i := range t.before {
			copy(t.below[i*p.Width:][xs.from:xs.to], p.Row(ys.to - t.before + i)[xs.from:])
		}
	}
}

// write puts a tile back, blended with what was there by the strength.
func (t *tiler) write(p, w patchify.Plane, xs, ys span) {
	wx, wy := t.widen(xs, p.Width), t.widen(ys, p.Height)
	for y := ys.from; y < ys.to; y++ {
		out, in := p.Row(y)[xs.from:xs.to], w.Row(y - wy.from)[xs.from-wx.from:]
		if t.strength == 1 {
			copy(out, in)
			continue
		}
		for x, v := range out {
			out[x] = v + t.strength*(in[x]-v)
		}
	}
}

func grow(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}
