package unet

import (
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// convolution is a layer with 3 x 3 taps and zeros around the grid. It has a matrix for each value of transformed tiles.
type convolution struct {
	in, out  int
	matrices [kernel.TileTaps]*kernel.Matrix
	zeros    []float32 // biases
}

// newConvolution returns the layer with weights ordered by output, input, row and column.
func newConvolution(weights []float32, out, in int) *convolution {
	n := out * in
	w := make([]float32, kernel.TileTaps*n)
	for i := range n {
		for k, v := range kernel.TileWeights([9]float32(weights[9*i:])) {
			w[k*n+i] = v
		}
	}
	c := &convolution{in: in, out: out, zeros: make([]float32, out)}
	for k := range c.matrices {
		c.matrices[k] = kernel.Pack(w[k*n:][:n], out, in)
	}
	return c
}

// products computes, for the tiles of src from at on, the products that make the tiles of the result.
func (c *convolution) products(src *grid, at int, s *scratch) []float32 {
	in, out := c.in*kernel.Lanes, c.out*kernel.Lanes
	v, m := s.in[:kernel.TileTaps*in], s.out[:kernel.TileTaps*out]
	src.Inputs(v, src.pix[at:])
	for k, w := range c.matrices {
		kernel.Mul(m[k*out:][:out], w, v[k*in:][:in])
	}
	return m
}

// rectify sets a panel of tiles of dst to max(c(src), 0).
func (c *convolution) rectify(dst, src *grid, at int, s *scratch) {
	dst.Outputs(dst.pix[at:], c.products(src, at, s), c.zeros)
	dst.clearBorder(at)
}

// add adds c(src) to a panel of tiles of dst.
func (c *convolution) add(dst, src *grid, at int, s *scratch) {
	dst.AddOutputs(dst.pix[at:], c.products(src, at, s))
	dst.clearBorder(at)
}

// goDown computes those cells of dst, a level of half the size, that a panel of tiles of src makes.
func goDown(dst, src *grid, m *kernel.Matrix, at int, s *scratch) {
	v, out := s.in[:m.Cols*kernel.Lanes], s.out[:m.Rows*kernel.Lanes]
	for i := range m.Cols {
		*(*lanes)(v[i*kernel.Lanes:]) = *src.cells(i%src.Channels, i/src.Channels, at)
	}
	kernel.Mul(out, m, v)
	src.rows(at, func(from, n, x, y int) { dst.put(x, y, out, from, n) })
}

// comeBack adds what the cells of src, a level of half the size, make to a panel of tiles of dst. Tiles of border get zeros.
func comeBack(dst, src *grid, m *kernel.Matrix, at int, s *scratch) {
	v, sum := s.in[:m.Cols*kernel.Lanes], s.out[:m.Rows*kernel.Lanes]
	clear(v)
	dst.rows(at, func(from, n, x, y int) { src.get(v, from, n, x, y) })
	for i := range m.Rows {
		*(*lanes)(sum[i*kernel.Lanes:]) = *dst.cells(i%dst.Channels, i/dst.Channels, at)
	}
	kernel.PrimalStep(sum, m, v, sum, s.ones[:m.Rows])
	for i := range m.Rows {
		*dst.cells(i%dst.Channels, i/dst.Channels, at) = *(*lanes)(sum[i*kernel.Lanes:])
	}
}

// tileCells is the number of cells of a tile.
const tileCells = 4

// scratch is the memory of one goroutine: panels before and after a product, and factors of comeBack.
type scratch struct {
	in, out, ones []float32
}

// newScratch returns memory for all layers of the network.
func (n *Network) newScratch() scratch {
	c := n.mostChannels()
	panels := func() []float32 { return make([]float32, kernel.TileTaps*c*kernel.Lanes) }
	return scratch{panels(), panels(), slices.Repeat([]float32{1}, tileCells*c)}
}

// mostChannels returns the number of channels of the widest grid.
func (n *Network) mostChannels() int {
	c := n.head.in
	for _, l := range n.levels {
		c = max(c, l.channels)
	}
	return c
}
