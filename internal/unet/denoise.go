package unet

import (
	"context"
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// DenoiseUneven replaces the planes of an image, row by row, by what the network makes of them. Sigma is the level of
// the noise on the scale of the samples. Where noise is not equally strong everywhere, levels holds the share of sigma
// for each sample, at most 1; nil means 1 everywhere. The work is done by at most Workers(workers) goroutines of
// package parallel, and the result does not depend on their number, nor on the processor.
//
// The image is mirrored at its edges. A large image is computed in parts of about 1024 x 1024 samples, one after the
// other, with a margin that is thrown away. Memory says what a call needs. Progress, if it is not nil, is called after
// each layer of each part with the share of the work that is done, which grows to 1. NaN and infinities spoil the
// samples around them, and so do samples that are very many times as large as the level of the noise.
//
// When the context is done, DenoiseUneven soon returns its error; some parts of the image are denoised then, and the
// others are as before.
func (n *Network) DenoiseUneven(ctx context.Context, planes [][]float32, levels []float32, width, height int,
	sigma float32, workers int, progress func(share float64)) error {
	if err := n.check(planes, width, height); err != nil {
		return err
	}
	if levels != nil && len(levels) != width*height {
		return fmt.Errorf("unet: %d levels for an image of %d x %d", len(levels), width, height)
	}
	r := n.newRun(planes, width, height, workers)
	r.ctx, r.noise = ctx, levels
	r.scale(sigma)
	rows, columns := n.spans(height), n.spans(width)
	r.progress, r.all = progress, n.layers()*len(rows)*len(columns)
	r.packed.keep = n.runs.Add(1) > 1 || len(rows)*len(columns) > 1
	for _, y := range rows {
		r.image.move(planes, max(y.start, 0), min(y.end, height))
		for _, x := range columns {
			if r.part(x, y); r.err != nil {
				return r.err
			}
		}
	}
	return nil
}

func (n *Network) check(planes [][]float32, width, height int) error {
	if len(planes) != n.planes {
		return fmt.Errorf("unet: %d planes, the network takes %d", len(planes), n.planes)
	}
	if width < 1 || height < 1 || width > math.MaxInt32/4 || height > math.MaxInt32/4 {
		return fmt.Errorf("unet: an image of %d x %d samples", width, height)
	}
	for _, p := range planes {
		if int64(len(p)) != int64(width)*int64(height) {
			return fmt.Errorf("unet: a plane of %d samples for an image of %d x %d", len(p), width, height)
		}
	}
	return nil
}

// run is a call of DenoiseUneven.
type run struct {
	*Network
	ctx           context.Context
	err           error // the first
	planes        [][]float32
	width, height int

	progress  func(share float64)
	done, all int // layers of parts

	noise    []float32 // see DenoiseUneven
	sigma    float32   // as the network sees it
	in, back float32   // factors of samples that the network sees, and of its results

	image   strip // what the parts of one row of parts see
	levels  []grid
	hidden  grid      // input of the network, results of first convolutions of blocks, and output
	border  []stretch // of the grid that got another size last
	scratch []scratch
	packed  packed
}

// newRun reserves the memory of a call.
func (n *Network) newRun(planes [][]float32, width, height, workers int) *run {
	r := &run{Network: n, planes: planes, width: width, height: height, image: strip{width: width}}
	levels, hidden, rows := n.values(width, height)
	for _, n := range levels {
		r.levels = append(r.levels, grid{pix: hugepage.Make[float32](int(n))})
	}
	r.hidden.pix = hugepage.Make[float32](int(hidden))
	for range planes {
		r.image.planes = append(r.image.planes, hugepage.Make[float32](rows*width))
	}
	for range parallel.Workers(workers) {
		r.scratch = append(r.scratch, n.newScratch())
	}
	return r
}

// scale sets factors that bring a level of the noise above 1 below it. Else the transforms of tiles of large samples
// get out of the range of float32. The factors are powers of two, which change no rounding.
func (r *run) scale(sigma float32) {
	_, e := math.Frexp(float64(sigma))
	e = min(max(e, 0), 126) // both factors are normal numbers
	r.in, r.back = float32(math.Ldexp(1, -e)), float32(math.Ldexp(1, e))
	r.sigma = sigma * r.in
}

// each shares calls of f for 0..n-1 among the goroutines. After an error it does nothing.
func (r *run) each(n int, f func(i int, s *scratch)) {
	if r.err == nil {
		r.err = parallel.For(r.ctx, len(r.scratch), n, func(worker, i int) { f(i, &r.scratch[worker]) })
	}
}

// panels is each for the first tiles of all panels of a grid: a layer of a part.
func (r *run) panels(g *grid, f func(at int, s *scratch)) {
	r.each(g.panels(), func(i int, s *scratch) { f(i*kernel.Lanes, s) })
	if r.done++; r.progress != nil && r.err == nil {
		r.progress(float64(r.done) / float64(r.all))
	}
}

// convolve is panels for a convolution.
func (r *run) convolve(c *convolution, g *grid, f func(at int, s *scratch)) {
	if r.err != nil {
		return
	}
	matrices := c.matrices(&r.packed, &r.scratch[0])
	for i := range r.scratch {
		r.scratch[i].matrices = matrices
	}
	r.panels(g, f)
}

// resize gives a grid another size, and a border of zeros.
func (r *run) resize(g *grid, channels, width, height int) {
	r.border = g.resize(channels, width, height, r.border[:0])
	r.each(channels, func(c int, _ *scratch) { g.clearChannel(c, r.border) })
}

// part computes and writes one part of the image.
func (r *run) part(x, y span) {
	width, height, last := (x.end-x.start)/2, (y.end-y.start)/2, len(r.levels)-1
	for l, level := range r.Network.levels {
		r.resize(&r.levels[l], level.channels, width>>l, height>>l)
	}
	top := &r.levels[0]
	r.read(x, y, true)
	r.convolve(r.head, top, func(at int, s *scratch) { r.head.set(top, &r.hidden, at, s) })
	for l := range last {
		r.blocks(l, r.Network.levels[l].down)
		r.panels(&r.levels[l], func(at int, s *scratch) {
			goDown(&r.levels[l+1], &r.levels[l], r.Network.levels[l].next,
				at, s)
		})
	}
	r.blocks(last, r.Network.levels[last].down)
	for l := last - 1; l >= 0; l-- {
		r.panels(&r.levels[l], func(at int, s *scratch) {
			comeBack(&r.levels[l], &r.levels[l+1],
				r.Network.levels[l].back, at, s)
		})
		r.blocks(l, r.Network.levels[l].up)
	}
	r.read(x, y, false)
	r.convolve(r.tail, top, func(at int, s *scratch) { r.tail.add(&r.hidden, top, at, s) })
	r.write(x, y)
}

// blocks computes blocks of a level, in place.
func (r *run) blocks(l int, list []block) {
	g, hidden := &r.levels[l], &r.hidden
	r.resize(hidden, g.Channels, g.width, g.height)
	for _, b := range list {
		r.convolve(b.first, g, func(at int, s *scratch) { b.first.rectify(hidden, g, at, s) })
		r.convolve(b.second, g, func(at int, s *scratch) { b.second.add(g, hidden, at, s) })
	}
}

// read copies a part of the image to channels of the hidden grid: sample (2x+dx, 2y+dy) of plane p is cell (x, y) of
// channel 4 p + 2 dy + dx. If wanted, one more channel gets the level of the noise.
func (r *run) read(x, y span, level bool) {
	channels := 4 * r.Network.planes
	if level {
		channels++
	}
	g := &r.hidden
	r.resize(g, channels, (x.end-x.start)/2, (y.end-y.start)/2)
	columns := make([]int, x.end-x.start) // of the image
	for i := range columns {
		columns[i] = mirror(x.start+i, r.width)
	}
	r.each(g.height, func(cy int, _ *scratch) {
		for c := range channels {
			for e := range side { // every fourth cell of a row
				cells := g.cells(c, 0, ceil(g.width-e, side), e, cy)
				if c == 4*r.Network.planes {
					for i := range cells {
						if cells[i] = r.sigma; r.noise != nil {
							cells[i] *= r.noise[mirror(y.start+2*cy, r.height)*r.width+columns[2*e+2*side*i]]
						}
					}
					continue
				}
				row := r.image.row(c/4, mirror(y.start+2*cy+c/2%2, r.height))
				for i, from := 0, columns[2*e+c%2:]; i < len(cells); i++ {
					cells[i] = r.in * row[from[2*side*i]]
				}
			}
		}
	})
}

// write is the inverse of read for the part that is computed.
func (r *run) write(x, y span) {
	g := &r.hidden
	r.each(y.to-y.from, func(i int, _ *scratch) {
		at := y.from + i
		cy, dy := (at-y.start)/2, (at-y.start)%2
		for p, plane := range r.planes {
			row := plane[at*r.width:][:r.width]
			for k := range 2 * side {
				cells := g.cells(4*p+2*dy+k%2, 0, g.Stride, k/2, cy)
				for j := x.from + (x.start+k-x.from)&(2*side-1); j < x.to; j += 2 * side {
					row[j] = r.back * cells[(j-x.start)/(2*side)]
				}
			}
		}
	})
}
