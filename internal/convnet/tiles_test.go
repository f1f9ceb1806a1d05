package convnet

import (
	"math"
	"math/rand/v2"
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
								t.Fatalf("%v: %d cells from (%d, %d): value %d is %g, not %g", size, n, x, y, i, got[i], v)
							}
						}
					}
				}
			}
		}
	}
}

// Two layers, so that the border of the first result matters, for all rows and for parts that start at odd and even ones.
func TestTilesGiveTheLayersOfGrids(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := New(16, 32, 2, 16, rng)
	n[1].Bias[3], n[2].Bias[4] = 0.5, -0.5
	r := NewRunner(n)
	for _, size := range [][2]int{{1, 1}, {1, 9}, {5, 1}, {46, 3}, {47, 4}, {95, 6}, {100, 11}} {
		in := drawn(rng, 32, size[0], size[1])
		w, h := size[0], size[1]
		one, want := newGrid(32, w, h), newGrid(32, w, h)
		r.Convolve(one, in, 1, 0, h, new(Scratch))
		r.Convolve(want, one, 2, 0, h, new(Scratch))
		whole := convolveTwice(r, tiled(in), 0, h)
		for from := range h {
			for to := from + 1; to <= h; to++ {
				part := convolveTwice(r, tiled(in), from, to)
				for c := range 32 {
					for y := from; y < to; y++ {
						for x := range w {
							got, want := part.pix[part.index(c, x, y)], want.Plane(c)[want.Index(x, y)]
							if !(math.Abs(float64(got-want)) <= 1e-4) {
								t.Fatalf("%v, rows %d to %d: channel %d of (%d, %d) is %g, not %g", size, from, to, c, x, y, got, want)
							}
							if got != whole.pix[whole.index(c, x, y)] {
								t.Fatalf("%v, rows %d to %d: channel %d of (%d, %d) differs from that of all rows", size, from, to, c, x, y)
							}
						}
					}
				}
			}
		}
	}
}

// convolveTwice computes layers 1 and 2 for some rows.
func convolveTwice(r *Runner, in *TileGrid, from, to int) *TileGrid {
	one, two := newTileGrid(in.Channels, in.width, in.height), newTileGrid(in.Channels, in.width, in.height)
	r.ConvolveTiles(one, in, 1, max(from-1, 0), min(to+1, in.height), new(Scratch))
	r.ConvolveTiles(two, one, 2, from, to, new(Scratch))
	return two
}
