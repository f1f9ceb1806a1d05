package noisecurve

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/dct"
)

// What neighbouring blocks share is what each has by itself.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(side, 30).Draw(t, "width"), rapid.IntRange(side, 30).Draw(t, "height")
		rng := random(rapid.Uint64().Draw(t, "seed"))
		planes := [][]float32{make([]float32, w*h), make([]float32, w*h)}
		for _, p := range planes {
			for i := range p {
				p[i] = float32(rng.IntN(9)) / 8
			}
		}
		g := newGrid(planes, w, h, 0, 1)
		g.lay(h, rapid.IntRange(2, 12).Draw(t, "step")) // as of larger images
		blocks, constant := g.blocks(2)
		if len(blocks)+constant != 2*g.rows*g.columns {
			t.Fatalf("%d and %d blocks", len(blocks), constant)
		}
		for _, b := range blocks {
			row, x := int(b.order)/g.columns, int(b.order)%g.columns*g.step
			want := alone(planes[row/g.rows][row%g.rows*g.step*w+x:], w)
			near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
			if !near(b.mean, want.mean) || !near(b.coarse, want.coarse) || !near(b.fine, want.fine) ||
				!near(b.finest, want.finest) ||
				b.low != want.low || b.high != want.high {
				t.Fatalf("got %+v, want %+v", b, want)
			}
		}
	})
}

// alone measures one block by definition.
func alone(samples []float32, width int) (b block) {
	cosines := dct.Matrix(side)
	for v := range side {
		for u := range side {
			c := 0.0
			for y := range side {
				for x := range side {
					c += cosines[v*side+y] * cosines[u*side+x] * float64(samples[y*width+x])
				}
			}
			switch {
			case u+v == 0:
				b.mean = c / side
			case u+v < 3:
			case u+v <= 7:
				b.coarse += c * c / coarseCount
			default:
				b.fine += c * c / fineCount
				if u+v >= 11 {
					b.finest += c * c / finestCount
				}
			}
			switch samples[v*width+u] {
			case 0:
				b.low++
			case 1:
				b.high++
			}
		}
	}
	return b
}

func TestGridBoundsWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		planes := make([][]float32, rapid.IntRange(1, 4).Draw(t, "planes"))
		w, h := rapid.IntRange(side, 60_000).Draw(t, "width"), rapid.IntRange(side, 60_000).Draw(t, "height")
		g := newGrid(planes, w, h, 0, 1)
		if n := len(planes) * g.rows * g.columns; n > maxBlocks {
			t.Fatalf("%d blocks", n)
		}
		if (g.rows-1)*g.step+side > h || (g.columns-1)*g.step+side > w {
			t.Fatal("the grid leaves the image")
		}
		finer := g.step - 1
		if finer >= 2 && len(planes)*((w-side)/finer+1)*((h-side)/finer+1) <= maxBlocks {
			t.Fatalf("step %d would do, got %d", finer, g.step)
		}
	})
}
