package convnet

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// tiled returns the cells of a grid in tiles. Undefined content is NaN.
func tiled(g *Grid) *TileGrid {
	t := newTileGrid(g.Channels, g.Width, g.Height)
	panel := make([]float32, g.Channels*kernel.Lanes)
	for y := range g.Height {
		for x := 0; x < g.Width; x += kernel.Lanes {
			n := min(kernel.Lanes, g.Width-x)
			g.Get(panel, 0, n, x, y)
			t.Put(x, y, panel, 0, n)
		}
	}
	return t
}

func newTileGrid(channels, width, height int) *TileGrid {
	t := new(TileGrid)
	t.Reset(channels, width, height)
	for i := range t.pix {
		t.pix[i] = float32(math.NaN())
	}
	t.Reset(channels, width, height)
	return t
}

func TestTileGridKeepsCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{1, 1}, {2, 3}, {5, 4}, {47, 2}, {48, 3}, {100, 5}} {
		g := drawn(rng, 3, size[0], size[1])
		tiles := tiled(g)
		for _, from := range []int{0, 1, 7} {
			for x := range g.Width {
				for n := 1; n <= min(3, g.Width-x); n++ {
					for y := range g.Height {
						got, want := make([]float32, 3*kernel.Lanes), make([]float32, 3*kernel.Lanes)
						tiles.Get(got, from, n, x, y)
						g.Get(want, from, n, x, y)
						for i, v := range want {
							if got[i] != v {
								t.Fatalf("%v: %d cells from (%d, %d): value %d is %g, not %g", size, n, x, y, i, got[i],
									v)
							}
						}
					}
				}
			}
		}
	}
}

// Two layers, so that the border of the first result matters, strip by strip. Tiles multiply integers. Those of 32
// channels are up to 8191, so rounding changes a factor by 1/16000 of the largest.
func TestTilesGiveTheLayersOfGrids(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := New(16, 32, 2, 16, rng)
	n[1].Bias[3], n[2].Bias[4] = 0.5, -0.5
	r := NewRunner(n, 0)
	for _, size := range [][2]int{{1, 1}, {1, 9}, {5, 1}, {46, 3}, {47, 4}, {95, 6}, {100, 11}} {
		in := drawn(rng, 32, size[0], size[1])
		w, h := size[0], size[1]
		one, want := newGrid(32, w, h), newGrid(32, w, h)
		r.Convolve(one, in, 1, 0, h, new(Scratch))
		r.Convolve(want, one, 2, 0, h, new(Scratch))
		var rounded [][]float32
		for _, strip := range []int{2, 4, 8} {
			got, sum := convolveTwice(r, in, strip), 0.
			for c := range 32 {
				for y := range h {
					for x := range w {
						got, want := got.Plane(c)[got.Index(x, y)], want.Plane(c)[want.Index(x, y)]
						off := math.Abs(float64(got - want))
						if sum += off; !(off <= 2e-3) {
							t.Fatalf("%v, strips of %d: channel %d of (%d, %d) is %g, not %g", size, strip, c, x, y,
								got, want)
						}
					}
				}
			}
			if mean := sum / float64(32*w*h); mean > 2e-4 {
				t.Errorf("%v, strips of %d: cells are off by %g on average", size, strip, mean)
			}
			rounded = append(rounded, got.pix)
		}
		if !slices.Equal(rounded[0], rounded[1]) || !slices.Equal(rounded[0], rounded[2]) {
			t.Errorf("%v: other strips give other bytes", size)
		}
	}
}

// convolveTwice computes layers 1 and 2 in strips of some rows.
func convolveTwice(r *Runner, in *Grid, rows int) *Grid {
	out := newGrid(in.Channels, in.Width, in.Height)
	var states [3]*TileGrid
	for i := range states {
		states[i] = newTileGrid(in.Channels, in.Width, rows+2)
		states[i].Clear()
	}
	panel, s := make([]float32, in.Channels*kernel.Lanes), new(Scratch)
	for top := 0; top-4 < in.Height; top += rows {
		for l, state := range states {
			if l > 0 {
				r.ConvolveTiles(state, states[l-1], l, rows, 2, s)
			}
			for i := range rows {
				y, at := top-2*l+i, 2+i
				if y < 0 || y >= in.Height {
					state.ClearRow(at)
					continue
				}
				for x := 0; x < in.Width; x += kernel.Lanes {
					n := min(kernel.Lanes, in.Width-x)
					switch l {
					case 0:
						in.Get(panel, 0, n, x, y)
						state.Put(x, at, panel, 0, n)
					case 2:
						state.Get(panel, 0, n, x, at)
						out.Put(x, y, panel, 0, n)
					}
				}
			}
		}
		for _, state := range states {
			state.Scroll()
		}
	}
	return out
}
