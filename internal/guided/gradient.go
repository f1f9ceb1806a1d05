package guided

import (
	"github.com/blorc-denoise/blorc-denoise/internal/convnet"
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Input is the planes that a network sees, in units of the noise's standard deviation and of one size.
type Input struct {
	Noisy, Pilot patchify.Plane
	Guides       []patchify.Plane
	Level        float32 // see Level
}

// Gradient is the gradient of a loss by the parameters of a network.
type Gradient struct {
	Net  convnet.Gradient
	Skip []float32
}

// NewGradient returns a gradient of zeros.
func NewGradient(n *Network) *Gradient {
	return &Gradient{convnet.NewGradient(n.Net), make([]float32, len(n.Skip))}
}

// Each calls f for all parts of the gradient, in the order of Network.Each.
func (g *Gradient) Each(f func([]float32)) {
	for _, l := range g.Net {
		f(l.Weights)
		f(l.Bias)
	}
	f(g.Skip)
}

// Each calls f for all parts of the parameters.
func (n *Network) Each(f func([]float32)) { (&Gradient{convnet.Gradient(n.Net), n.Skip}).Each(f) }

// Differentiator computes the result of a network for small planes, and gradients. It keeps all that layers compute. It
// is for one goroutine.
type Differentiator struct {
	*Denoiser
	net    *convnet.Differentiator
	s      *scratch
	grid   patchify.Grid
	y, p   *convnet.Grid
	d      []*convnet.Grid // predictions less the pilot
	states []*convnet.Grid // inputs of all layers, and the output
	count  []float32       // of patches over each sample
	byOut  *convnet.Grid
	byZ    []float32
}

// NewDifferentiator prepares to differentiate a network.
func NewDifferentiator(d *Denoiser) *Differentiator {
	c := &Differentiator{Denoiser: d, net: convnet.NewDifferentiator(d.run), s: newScratch(d.Network),
		y: new(convnet.Grid), p: new(convnet.Grid), byOut: new(convnet.Grid), byZ: make([]float32, Coefs*kernel.Lanes)}
	for range d.Predictions {
		c.d = append(c.d, new(convnet.Grid))
	}
	for range len(d.Net) + 1 {
		c.states = append(c.states, new(convnet.Grid))
	}
	return c
}

// Forward writes the result for patches at the given stride to dst.
func (c *Differentiator) Forward(dst patchify.Plane, in Input, stride int) error {
	g, err := patchify.NewGrid(in.Noisy.Width, in.Noisy.Height, PatchSide, stride)
	if err != nil {
		return err
	}
	w, h := len(g.Xs), len(g.Ys)
	c.grid = g
	c.y.Reset(Coefs, w, h)
	c.p.Reset(Coefs, w, h)
	for _, d := range c.d {
		d.Reset(Coefs, w, h)
	}
	c.s.predict(in, 0)
	c.s.extend(in.Noisy.Height)
	for i, s := range c.states {
		if i < len(c.Net) {
			s.Reset(c.Net[i].In, w, h)
		} else {
			s.Reset(outputs(c.Predictions), w, h)
		}
	}
	eachPanel(g, func(r run) {
		c.s.read(in, r)
		r.each(func(lane, n, x, y int, _ []int, _ int) {
			c.y.Put(x, y, c.s.y, lane, n)
			c.p.Put(x, y, c.s.p, lane, n)
			for j, d := range c.d {
				d.Put(x, y, c.s.differences[j], lane, n)
			}
			c.states[0].Put(x, y, c.s.features, lane, n)
		})
	})
	for i := range c.Net {
		c.run.Convolve(c.states[i+1], c.states[i], i, 0, h, &c.s.Scratch)
	}
	clear(dst.Pix)
	c.count = append(c.count[:0], dst.Pix...)
	eachPanel(g, func(r run) {
		c.get(r)
		c.solvePanel(c.s.z, c.s.out, c.s.y, c.s.p, c.s.features, c.s.differences)
		kernel.InverseDCT(c.s.patches, c.s.z)
		c.eachSample(r, dst.Width, func(at, in int) {
			dst.Pix[at] += c.s.patches[in]
			c.count[at]++
		})
	})
	for i, n := range c.count {
		dst.Pix[i] /= n
	}
	return nil
}

// get reads what Forward kept for a panel.
func (c *Differentiator) get(r run) {
	r.each(func(lane, n, x, y int, _ []int, _ int) {
		c.y.Get(c.s.y, lane, n, x, y)
		c.p.Get(c.s.p, lane, n, x, y)
		for j, d := range c.d {
			d.Get(c.s.differences[j], lane, n, x, y)
		}
		c.states[0].Get(c.s.features, lane, n, x, y)
		c.states[len(c.Net)].Get(c.s.out, lane, n, x, y)
	})
}

// eachSample calls f for the samples of all patches of a panel, with their places in a plane and in the panel.
func (c *Differentiator) eachSample(r run, width int, f func(at, in int)) {
	r.each(func(lane, _, _, _ int, xs []int, y int) {
		for i, x := range xs {
			for k := range Coefs {
				f((y+k/PatchSide)*width+x+k%PatchSide, k*kernel.Lanes+lane+i)
			}
		}
	})
}

// Backward adds the gradient by the parameters to g. ByResult is the gradient by the samples of the last Forward's
// result; it is overwritten.
func (c *Differentiator) Backward(g *Gradient, byResult patchify.Plane) {
	for i, n := range c.count {
		byResult.Pix[i] /= n
	}
	c.byOut.Reset(outputs(c.Predictions), len(c.grid.Xs), len(c.grid.Ys))
	eachPanel(c.grid, func(r run) {
		c.get(r)
		c.eachSample(r, byResult.Width, func(at, in int) { c.s.patches[in] = byResult.Pix[at] })
		kernel.DCT(c.byZ, c.s.patches)
		c.differentiatePanel(g.Skip, r.to-r.from)
		r.each(func(lane, n, x, y int, _ []int, _ int) { c.byOut.Put(x, y, c.s.out, lane, n) })
	})
	c.net.Backward(g.Net, c.states[:len(c.Net)], c.byOut)
}

// differentiatePanel replaces the outputs of the network by the gradient by them. It adds the gradient by Skip to skip.
func (c *Differentiator) differentiatePanel(skip []float32, lanes int) {
	const row = kernel.Lanes
	f, out := c.s.features, c.s.out
	var threshold, pull [row]float32
	if c.moves() {
		c.movePilot(c.s.p, out, c.s.differences)
	}
	for k := range Coefs {
		c.problem(&threshold, &pull, out, f, k)
		clear(out[k*row:][:row])
		clear(out[(Coefs+k)*row:][:row])
		var sums [6]float32
		for i := range lanes {
			u, v := threshold[i], pull[i]
			t, slope := positive(u), sigmoid(u)
			if k == 0 {
				t, slope = 0, 0
			}
			at := k*row + i
			byT, byA, byP := derivative(c.s.y[at], c.s.p[at], t, sigmoid(v))
			byU, byV := c.byZ[at]*byT*slope, c.byZ[at]*byA*sigmoidSlope(v)
			for j := range 3 {
				sums[j] += byU * f[(j*Coefs+k)*row+i]
				sums[3+j] += byV * f[(j*Coefs+k)*row+i]
			}
			out[at], out[panelLen+at] = byU, byV
			c.s.p[at] = c.byZ[at] * byP
		}
		clear(c.s.p[k*row+lanes : (k+1)*row])
		for j, v := range sums {
			skip[j*Coefs+k] += v
		}
	}
	c.differentiateMoves(out[2*panelLen:], c.s.p)
}

// differentiateMoves replaces the outputs that move the pilot by the gradient by them, given that by the pilot.
func (c *Differentiator) differentiateMoves(out, byP []float32) {
	for j, d := range c.s.differences {
		for i, g := range byP {
			out[j*panelLen+i] = g * d[i]
		}
	}
}
