package convnet

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// Runner is a network that is ready to run. It is immutable; each goroutine needs a Scratch of its own.
type Runner struct {
	Net
	matrices []*kernel.Matrix
}

// NewRunner prepares a network that Check accepts.
func NewRunner(n Net) *Runner {
	r := &Runner{Net: n}
	for _, l := range n {
		r.matrices = append(r.matrices, kernel.Pack(l.Weights, l.Out, l.taps()))
	}
	return r
}

// Scratch is the memory of one goroutine.
type Scratch struct {
	columns, product []float32
}

// Panel computes a layer with one tap for a panel of cells: a row of dst for each output.
func (r *Runner) Panel(dst []float32, layer int, src []float32) {
	l := r.Net[layer]
	kernel.Mul(dst[:l.Out*kernel.Lanes], r.matrices[layer], src[:l.In*kernel.Lanes])
	cut := layer < len(r.Net)-1
	for o := range l.Out {
		row := dst[o*kernel.Lanes:][:kernel.Lanes]
		l.finish(row, row, o, cut)
	}
}

// finish adds the bias of an output to some of its values and cuts negative ones off.
func (l Layer) finish(dst, src []float32, output int, cut bool) {
	b := l.Bias[output]
	dst = dst[:len(src)]
	if cut {
		for i, v := range src {
			dst[i] = relu(v + b)
		}
		return
	}
	for i, v := range src {
		dst[i] = v + b
	}
}

// relu returns max(v, 0), without a branch.
func relu(v float32) float32 {
	bits := math.Float32bits(v)
	if v <= 0 {
		bits = 0
	}
	return math.Float32frombits(bits)
}

// Convolve computes a layer for the rows from..to-1 of a grid. Dst has the size of src and other memory.
func (r *Runner) Convolve(dst, src *Grid, layer, from, to int, s *Scratch) {
	l, cut := r.Net[layer], layer < len(r.Net)-1
	convolve(dst, src, r.matrices[layer], l.In, l.Side, from, to, s, func(dst, src []float32, output int) { l.finish(dst, src, output, cut) })
}

// convolve multiplies a matrix of taps by the neighbourhoods of all cells of the rows from..to-1. Cells are taken in the order of
// memory with the border between rows, which is set to zero afterwards. Finish writes the products of an output to dst.
func convolve(dst, src *Grid, m *kernel.Matrix, in, side, from, to int, s *Scratch, finish func(dst, src []float32, output int)) {
	s.columns = grow(s.columns, m.Cols*kernel.Lanes)
	s.product = grow(s.product, m.Rows*kernel.Lanes)
	end := dst.Index(dst.Width, to-1)
	for at := dst.Index(0, from); at < end; at += kernel.Lanes {
		src.columns(s.columns, at, in, side)
		kernel.Mul(s.product, m, s.columns)
		n := min(kernel.Lanes, end-at)
		for c := range dst.Channels {
			finish(dst.Plane(c)[at:at+n], s.product[c*kernel.Lanes:][:n], c)
		}
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
				*(*[kernel.Lanes]float32)(panel) = *(*[kernel.Lanes]float32)(g.pix[from:])
				panel = panel[kernel.Lanes:]
				from += plane
			}
		}
	}
}

func grow(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}
