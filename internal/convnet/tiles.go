package convnet

import (
	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// TileGrid is a grid whose layers are computed in tiles of 2 x 2 cells, faster than those of a Grid. Each channel has a
// border of zeros, one cell wide, and the planes that kernel.Tiles describes.
type TileGrid struct {
	width, height int
	kernel.Tiles
	pix []float32
}

// Reset gives the grid another size and keeps its memory if that is large enough. The content is undefined, except that
// the border is zero.
func (g *TileGrid) Reset(channels, width, height int) {
	g.width, g.height = width, height
	g.Channels, g.Stride = channels, (width+1)/2+1
	g.Plane = g.Stride*((height+1)/2+1) + kernel.Lanes // the last panel may start at the last tile
	g.pix = hugepage.Grow(g.pix, 4*channels*g.Plane)
	g.ClearRow(-1)
	g.ClearRow(height)
	g.clearSides(0, height)
}

// index returns the place of a cell, which may be on the border.
func (g *TileGrid) index(c, x, y int) int {
	x, y = x+1, y+1
	return (4*c+y%2*2+x%2)*g.Plane + y/2*g.Stride + x/2
}

// ClearRow sets a row, which may be the border above or below, to zero.
func (g *TileGrid) ClearRow(y int) {
	for c := range g.Channels {
		for x := -1; x < 1; x++ {
			clear(g.pix[g.index(c, x, y):][:g.Stride])
		}
	}
}

// clearSides clears the left and right border of rows from..to-1.
func (g *TileGrid) clearSides(from, to int) {
	for c := range g.Channels {
		for y := from; y < to; y++ {
			g.pix[g.index(c, -1, y)], g.pix[g.index(c, g.width, y)] = 0, 0
		}
	}
}

// Put copies lanes from..from+n-1 of a panel with a row for each channel to n cells of a row of the grid.
func (g *TileGrid) Put(x, y int, panel []float32, from, n int) {
	g.each(panel, from, n, x, y, func(cells, lanes []float32) {
		for i := 0; 2*i < len(lanes); i++ {
			cells[i] = lanes[2*i]
		}
	})
}

// Get is the inverse of Put.
func (g *TileGrid) Get(panel []float32, from, n, x, y int) {
	g.each(panel, from, n, x, y, func(cells, lanes []float32) {
		for i := 0; 2*i < len(lanes); i++ {
			lanes[2*i] = cells[i]
		}
	})
}

// each calls f for every second of n cells of each channel, which are neighbours in memory, and for their lanes.
func (g *TileGrid) each(panel []float32, from, n, x, y int, f func(cells, lanes []float32)) {
	for i := range min(2, n) {
		at, step := g.index(0, x+i, y), 4*g.Plane
		for c := range g.Channels {
			f(g.pix[at+c*step:], panel[c*kernel.Lanes+from+i:c*kernel.Lanes+from+n])
		}
	}
}

// tileMatrices returns the matrices of a layer with 3 x 3 taps for tiles, and none for other layers.
func (l Layer) tileMatrices() []*kernel.IntMatrix {
	if l.Side != 3 {
		return nil
	}
	w := make([]float32, kernel.TileTaps*l.Out*l.In)
	for o := range l.Out {
		for i := range l.In {
			var taps [9]float32
			for t := range taps {
				taps[t] = l.Weights[(o*len(taps)+t)*l.In+i]
			}
			for k, v := range kernel.TileWeights(taps) {
				w[(k*l.Out+o)*l.In+i] = v
			}
		}
	}
	var m []*kernel.IntMatrix
	for k := range kernel.TileTaps {
		m = append(m, kernel.PackIntegers(w[k*l.Out*l.In:][:l.Out*l.In], l.Out, l.In))
	}
	return m
}

// Clear sets all cells to zero.
func (g *TileGrid) Clear() { clear(g.pix) }

// Scroll moves the last two rows to the top, and the row above them to the border above.
func (g *TileGrid) Scroll() {
	from, n := (g.height-2)/2*g.Stride, 2*g.Stride
	for at := 0; at < len(g.pix); at += g.Plane {
		copy(g.pix[at:at+n], g.pix[at+from:])
	}
}

// ConvolveTiles computes a layer with 3 x 3 taps that is not the last, for the rows 0..rows-1 of a grid. It writes them
// to the rows from down on of dst, and leaves the rows below them undefined. Rows and down are even. Dst has the size
// of src and other memory. Tiles start at even rows, and the rounding differs between the cells of a tile. The products
// are of integers, see kernel.MulIntegers.
func (r *Runner) ConvolveTiles(dst, src *TileGrid, layer, rows, down int, s *Scratch) {
	l := r.Net[layer]
	s.columns = hugepage.Grow(s.columns, kernel.TileTaps*l.In*kernel.Lanes)
	s.product = hugepage.Grow(s.product, kernel.TileTaps*l.Out*kernel.Lanes)
	if s.integers == nil {
		s.integers = kernel.NewIntScratch(r.Net.widest())
	}
	for at := 0; at < rows/2*src.Stride; at += kernel.Lanes {
		src.Inputs(s.columns, src.pix[at:])
		for k, m := range r.tiles()[layer] {
			kernel.MulIntegers(s.product[k*l.Out*kernel.Lanes:][:l.Out*kernel.Lanes], m,
				s.columns[k*l.In*kernel.Lanes:][:l.In*kernel.Lanes], s.integers)
		}
		dst.Outputs(dst.pix[down/2*dst.Stride+at:], s.product, l.Bias)
	}
	dst.clearSides(down, down+rows)
}
