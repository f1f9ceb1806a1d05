package convnet

import (
	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// Grid holds the channels of all cells of a grid. Each channel is a plane with a border of zeros, one cell wide.
type Grid struct {
	Channels, Width, Height int
	pix                     []float32
}

// Reset gives the grid another size and keeps its memory if that is large enough. The content is undefined, except that
// the border is zero.
func (g *Grid) Reset(channels, width, height int) {
	g.Channels, g.Width, g.Height = channels, width, height
	n := channels*g.plane() + kernel.Lanes // the last panel may start at the last cell
	g.pix = hugepage.Grow(g.pix, n)
	clear(g.pix[n-kernel.Lanes:])
	g.clearBorder(1, height+1)
	for c := range channels {
		p := g.Plane(c)
		clear(p[:g.stride()])
		clear(p[len(p)-g.stride():])
	}
}

func (g *Grid) stride() int { return g.Width + 2 }

// plane returns the number of values of a channel with its border.
func (g *Grid) plane() int { return g.stride() * (g.Height + 2) }

// Plane returns a channel with its border.
func (g *Grid) Plane(c int) []float32 { return g.pix[c*g.plane():][:g.plane()] }

// Index returns the place of a cell in a plane.
func (g *Grid) Index(x, y int) int { return (y+1)*g.stride() + x + 1 }

// clearBorder clears the left and right border of rows from..to-1 of each plane.
func (g *Grid) clearBorder(from, to int) {
	s := g.stride()
	for c := range g.Channels {
		p := g.Plane(c)
		for y := from; y < to; y++ {
			p[y*s], p[y*s+s-1] = 0, 0
		}
	}
}

// Put copies lanes from..from+n-1 of a panel with a row for each channel to n cells of a row of the grid.
func (g *Grid) Put(x, y int, panel []float32, from, n int) { g.put(g.Index(x, y), panel[from:], n) }

// put copies n lanes of a panel to cells from index at on. Copies of a fixed size are faster, and most are as wide as a
// panel.
func (g *Grid) put(at int, panel []float32, n int) {
	plane := g.plane()
	for c := range g.Channels {
		dst, src := g.pix[c*plane+at:], panel[c*kernel.Lanes:]
		if n == kernel.Lanes {
			*(*lanes)(dst) = *(*lanes)(src)
		} else {
			copy(dst[:n], src)
		}
	}
}

// Get is the inverse of Put.
func (g *Grid) Get(panel []float32, from, n, x, y int) {
	at, plane := g.Index(x, y), g.plane()
	for c := range g.Channels {
		dst, src := panel[c*kernel.Lanes+from:], g.pix[c*plane+at:]
		if n == kernel.Lanes {
			*(*lanes)(dst) = *(*lanes)(src)
		} else {
			copy(dst[:n], src)
		}
	}
}

type lanes = [kernel.Lanes]float32
