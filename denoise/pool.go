package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// pool is a number of goroutines that work on all samples until a context is done. Then they skip the rest, and the
// caller must check the context, too.
type pool struct {
	ctx     context.Context // nil means that nothing ends the work early
	workers int             // see parallel.Workers
}

// each calls work for 0..n-1.
func (p pool) each(n int, work func(i int)) {
	_ = parallel.For(p.context(), p.workers, n, func(_, i int) { work(i) })
}

// pieces calls work for parts that make up 0..n-1.
func (p pool) pieces(n int, work func(from, to int)) {
	p.rows(1, n, work)
}

// rows calls work for parts that make up the rows of a plane.
func (p pool) rows(width, height int, work func(from, to int)) {
	_ = parallel.Bands(p.context(), p.workers, width, height, work)
}

// clone returns a copy of samples. It copies them in pieces: one copy of a large plane would hold up the garbage
// collector, and with it the answer to a signal.
func (p pool) clone(samples []float32) []float32 {
	copied := make([]float32, len(samples))
	p.pieces(len(samples), func(from, to int) { copy(copied[from:to], samples[from:to]) })
	return copied
}

// clones returns a copy of each plane.
func (p pool) clones(planes [][]float32) (copies [][]float32) {
	for _, q := range planes {
		copies = append(copies, p.clone(q))
	}
	return copies
}

func (p pool) context() context.Context {
	if p.ctx == nil {
		return context.Background()
	}
	return p.ctx
}
