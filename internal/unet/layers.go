package unet

import (
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// convolution is a layer with 3 x 3 taps and zeros around the grid. Weights are ordered by output, input, row and
// column. It is computed with a matrix for each value of transformed tiles. These take eight times the memory of
// weights of 8 bits, and filling new memory takes longer than denoising a small image. So a network that runs for the
// first time keeps none of them.
type convolution struct {
	in, out int
	weights weights
	once    sync.Once
	kept    *kernel.LargeTileMatrices
}

// matrices returns the matrices of the layer: those that it keeps, or those in p.
func (c *convolution) matrices(p *packed, s *scratch) *kernel.LargeTileMatrices {
	if p.keep {
		c.once.Do(func() {
			c.kept = new(kernel.LargeTileMatrices)
			c.pack(c.kept, s)
		})
		return c.kept
	}
	c.pack(&p.last, s)
	return &p.last
}

func (c *convolution) pack(m *kernel.LargeTileMatrices, s *scratch) {
	m.Set(c.out, c.in, func(o int, taps []float32) { c.weights.read(taps, o) },
		s.panels[:kernel.LargeTileTaps*c.in*kernel.Lanes], s.integers)
}

// packed says whether convolutions keep their matrices. If not, it has those of the one that runs.
type packed struct {
	keep bool
	last kernel.LargeTileMatrices
}

// products computes, for the tiles of src from at on, the products that make the tiles of the result.
func (c *convolution) products(src *grid, at int, s *scratch) []float32 {
	in, out := c.in*kernel.Lanes, c.out*kernel.Lanes
	v := s.panels[out+(kernel.LargeTileTaps-1)*max(out-in, 0):][:kernel.LargeTileTaps*in]
	m := s.panels[:kernel.LargeTileTaps*out] // each product overwrites only inputs of those before
	src.Inputs(v, src.pix[at:])
	for k := range kernel.LargeTileTaps {
		kernel.MulIntegers(m[k*out:][:out], s.matrices.Tap(k), v[k*in:][:in], s.integers)
	}
	return m
}

// rectify sets a panel of tiles of dst to max(c(src), 0).
func (c *convolution) rectify(dst, src *grid, at int, s *scratch) {
	dst.Outputs(dst.pix[at:], c.products(src, at, s))
	dst.clearBorder(at)
}

// set sets a panel of tiles of dst to c(src).
func (c *convolution) set(dst, src *grid, at int, s *scratch) {
	dst.clear(at, at+kernel.Lanes, 0, side, 0, side)
	c.add(dst, src, at, s)
}

// add adds c(src) to a panel of tiles of dst.
func (c *convolution) add(dst, src *grid, at int, s *scratch) {
	dst.AddOutputs(dst.pix[at:], c.products(src, at, s))
	dst.clearBorder(at)
}

// A tile has 2 x 2 cells of the next level. They are computed one after the other, for all tiles of a panel.

// goDown computes those cells of dst, a level of half the size, that a panel of tiles of src makes. The columns of m
// are ordered by tap, then by channel of src.
func goDown(dst, src *grid, m *kernel.IntMatrix, at int, s *scratch) {
	v, out := s.two(m.Cols, m.Rows)
	src.fetchTiles(at, 0)
	for i := range 4 {
		dx, dy := i%2, i/2
		for j := range m.Cols {
			tap, c := j/src.Channels, j%src.Channels
			*(*lanes)(v[j*kernel.Lanes:]) = lanes(src.cells(c, at, kernel.Lanes, 2*dx+tap%2, 2*dy+tap/2))
		}
		src.rows(at, func(_, n, x, y int) { dst.fetch(2*x+dx, 2*y+dy, n) })
		if i < 3 {
			src.fetchTiles(at, i+1)
		}
		kernel.MulIntegers(out, m, v, s.integers)
		src.rows(at, func(from, n, x, y int) { dst.put(2*x+dx, 2*y+dy, out, from, n) })
	}
}

// comeBack adds what the cells of src, a level of half the size, make to a panel of tiles of dst. Tiles of border get
// zeros. The rows of m are ordered by tap, then by channel of dst.
func comeBack(dst, src *grid, m *kernel.IntMatrix, at int, s *scratch) {
	v, sum := s.two(m.Cols, m.Rows)
	clear(v)
	for i := range 4 {
		dx, dy := i%2, i/2
		dst.rows(at, func(_, n, x, y int) { src.fetch(2*x+dx, 2*y+dy, n) })
		dst.fetchTiles(at, i)
		dst.rows(at, func(from, n, x, y int) { src.get(v, from, n, 2*x+dx, 2*y+dy) })
		kernel.MulIntegers(sum, m, v, s.integers)
		for j := range m.Rows {
			tap, c := j/dst.Channels, j%dst.Channels
			cells := (*lanes)(dst.cells(c, at, kernel.Lanes, 2*dx+tap%2, 2*dy+tap/2))
			for i, v := range (*lanes)(sum[j*kernel.Lanes:]) {
				cells[i] += v
			}
		}
	}
}

// scratch is the memory of one goroutine: panels before and after products, and those that are rounded.
type scratch struct {
	panels   []float32
	integers *kernel.IntScratch
	matrices *kernel.LargeTileMatrices // of the convolution that runs
}

// two returns a panel of n rows and one of m rows.
func (s *scratch) two(n, m int) (a, b []float32) {
	return s.panels[:n*kernel.Lanes], s.panels[n*kernel.Lanes:][:m*kernel.Lanes]
}

// newScratch returns memory for all layers of the network.
func (n *Network) newScratch() scratch {
	c := n.widest()
	return scratch{panels: make([]float32, (kernel.LargeTileTaps+1)*c*kernel.Lanes),
		integers: kernel.NewIntScratch(4 * c)} // goDown takes four cells of each channel
}

// widest returns the number of channels of the widest grid.
func (n *Network) widest() int {
	c := n.inputs()
	for _, l := range n.levels {
		c = max(c, l.channels)
	}
	return c
}
