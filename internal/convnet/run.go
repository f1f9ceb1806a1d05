package convnet

import (
	"context"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Runner is a network that is ready to run. Its parameters must not change any more. Each goroutine needs a Scratch of
// its own.
type Runner struct {
	Net
	matrices []*kernel.Matrix
	tiles    func() [][]*kernel.IntMatrix // of layers with 3 x 3 taps, for tiles; training needs none
	backward func() []*kernel.Matrix      // of all layers, from outputs to inputs, for training
}

// NewRunner prepares a network that Check accepts, on at most the given number of processors.
func NewRunner(n Net, workers int) *Runner {
	return &Runner{
		Net:      n,
		matrices: ofLayers(n, workers, Layer.matrix),
		tiles:    sync.OnceValue(func() [][]*kernel.IntMatrix { return ofLayers(n, workers, Layer.tileMatrices) }),
		backward: sync.OnceValue(func() []*kernel.Matrix { return ofLayers(n, workers, Layer.transposed) }),
	}
}

// ofLayers returns what f makes of each layer.
func ofLayers[T any](n Net, workers int, f func(Layer) T) []T {
	all := make([]T, len(n))
	_ = parallel.For(context.Background(), workers, len(n), func(_, i int) { all[i] = f(n[i]) })
	return all
}

// matrix returns the matrix that takes neighbourhoods to outputs.
func (l Layer) matrix() *kernel.Matrix { return kernel.Pack(l.Weights, l.Out, l.taps()) }

// Scratch is the memory of one goroutine.
type Scratch struct {
	columns, product []float32
	integers         *kernel.IntScratch
}

// Panel computes a layer with one tap for a panel of cells: a row of dst for each output.
func (r *Runner) Panel(dst []float32, layer int, src []float32) {
	l := r.Net[layer]
	r.product(layer)(dst[:l.Out*kernel.Lanes], src[:l.In*kernel.Lanes])
}

// product returns the function that computes a panel of outputs from the neighbourhoods of a panel of cells.
func (r *Runner) product(layer int) func(dst, columns []float32) {
	m, bias := r.matrices[layer], r.Net[layer].Bias
	if layer < len(r.Net)-1 {
		return func(dst, columns []float32) { kernel.Rectified(dst, m, columns, bias) }
	}
	return func(dst, columns []float32) { kernel.Affine(dst, m, columns, bias) }
}

// Convolve computes a layer for the rows from..to-1 of a grid. Dst has the size of src and other memory.
func (r *Runner) Convolve(dst, src *Grid, layer, from, to int, s *Scratch) {
	l := r.Net[layer]
	convolve(dst, src, l.In, l.Side, from, to, s, r.product(layer))
}

// convolve computes the cells of the rows from..to-1 from their neighbourhoods, a panel at a time. Cells are taken in
// the order of memory with the border between rows, which is set to zero afterwards.
func convolve(dst, src *Grid, in, side, from, to int, s *Scratch, product func(dst, columns []float32)) {
	s.columns = hugepage.Grow(s.columns, side*side*in*kernel.Lanes)
	s.product = hugepage.Grow(s.product, dst.Channels*kernel.Lanes)
	end := dst.Index(dst.Width, to-1)
	for at := dst.Index(0, from); at < end; at += kernel.Lanes {
		src.columns(s.columns, at, in, side)
		product(s.product, s.columns)
		dst.put(at, s.product, min(kernel.Lanes, end-at))
	}
	dst.clearBorder(from+1, to+1)
}

// columns writes the neighbourhoods of Lanes cells to a panel, tap by tap.
func (g *Grid) columns(panel []float32, at, in, side int) {
	reach, plane := side/2, g.plane()
	for dy := -reach; dy <= reach; dy++ {
		for dx := -reach; dx <= reach; dx++ {
			from := at + dy*g.stride() + dx
			for range in {
				*(*lanes)(panel) = *(*lanes)(g.pix[from:])
				panel = panel[kernel.Lanes:]
				from += plane
			}
		}
	}
}
