package convnet

import (
	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// Gradient is the gradient of a loss by the parameters of a network, in the same shapes.
type Gradient []Layer

// NewGradient returns a gradient of zeros.
func NewGradient(n Net) Gradient {
	var g Gradient
	for _, l := range n {
		g = append(g, Layer{l.In, l.Out, l.Side, make([]float32, len(l.Weights)), make([]float32, len(l.Bias))})
	}
	return g
}

// Differentiator computes gradients. It is for one goroutine.
type Differentiator struct {
	runner  *Runner
	s       Scratch
	signals []float32 // for the product of errors and inputs
	block   []float32
	back    [2]*Grid
}

// NewDifferentiator prepares to differentiate a network.
func NewDifferentiator(r *Runner) *Differentiator {
	return &Differentiator{runner: r, back: [2]*Grid{new(Grid), new(Grid)}}
}

// transposed returns the matrix that takes errors of outputs to errors of inputs.
func (l Layer) transposed() *kernel.Matrix {
	taps := l.Side * l.Side
	w := make([]float32, l.In*taps*l.Out)
	for o := range l.Out {
		for t := range taps {
			for i := range l.In {
				w[(i*taps+taps-1-t)*l.Out+o] = l.Weights[(o*taps+t)*l.In+i]
			}
		}
	}
	return kernel.Pack(w, l.In, taps*l.Out)
}

// Backward adds the gradient by the parameters to g. States are the input of the network and the outputs of all layers
// but the last, and errors is the gradient by the output. It returns the gradient by the input, valid until the next
// call.
func (d *Differentiator) Backward(g Gradient, states []*Grid, errors *Grid) *Grid {
	backward := d.runner.backward()
	for i := len(g) - 1; i >= 0; i-- {
		d.weights(&g[i], states[i], errors)
		next := d.back[i%2]
		next.Reset(states[i].Channels, errors.Width, errors.Height)
		convolve(next, errors, g[i].Out, g[i].Side, 0, errors.Height, &d.s,
			func(dst, columns []float32) { kernel.Mul(dst, backward[i], columns) })
		if i > 0 { // through the relu
			for j, v := range states[i].pix[:len(next.pix)] {
				if v <= 0 {
					next.pix[j] = 0
				}
			}
		}
		errors = next
	}
	return errors
}

// weights adds the gradient by the weights and the bias of one layer. With the cells as columns, that is the product of
// the errors and the transposed neighbourhoods.
func (d *Differentiator) weights(g *Layer, in, errors *Grid) {
	from, end := errors.Index(0, 0), errors.Index(errors.Width, errors.Height-1)
	cells := (end - from + kernel.BlockSide - 1) / kernel.BlockSide * kernel.BlockSide
	d.signals = hugepage.Grow(d.signals, g.Out*cells)
	clear(d.signals)
	for o := range g.Out {
		row := d.signals[o*cells:][:cells]
		copy(row, errors.Plane(o)[from:end])
		sum := float32(0)
		for _, v := range row {
			sum += v
		}
		g.Bias[o] += sum
	}
	a := kernel.Pack(d.signals, g.Out, cells)
	d.block = hugepage.Grow(d.block, cells*kernel.Lanes)
	d.s.product = hugepage.Grow(d.s.product, g.Out*kernel.Lanes)
	taps := g.taps()
	for first := 0; first < taps; first += kernel.Lanes {
		n := min(kernel.Lanes, taps-first)
		for b := 0; b < n; b += kernel.BlockSide {
			t, c := (first+b)/g.In, (first+b)%g.In
			shift := 0
			if g.Side == 3 {
				shift = (t/3-1)*in.stride() + t%3 - 1
			}
			src := in.pix[c*in.plane()+from+shift:]
			for i := 0; i < cells; i += kernel.BlockSide {
				kernel.Transpose(d.block[i*kernel.Lanes+b:], kernel.Lanes, src[i:], in.plane())
			}
		}
		kernel.Mul(d.s.product, a, d.block)
		for o := range g.Out {
			row := g.Weights[o*taps+first:][:n]
			for i, v := range d.s.product[o*kernel.Lanes:][:n] {
				row[i] += v
			}
		}
	}
}
