package denoise

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// crew is who does some work on all samples: a number of goroutines, until a context is done. Then they leave the rest,
// and whoever called looks at the context, too.
type crew struct {
	ctx     context.Context // nil means that the work does not end
	workers int             // see parallel.Workers
}

func (o Options) crew(ctx context.Context) crew { return crew{ctx, o.Workers} }

// each calls work for 0..n-1.
func (c crew) each(n int, work func(i int)) {
	_ = parallel.For(c.context(), c.workers, n, func(_, i int) { work(i) })
}

// pieces calls work for parts that make up 0..n-1.
func (c crew) pieces(n int, work func(from, to int)) {
	c.rows(1, n, work)
}

// rows calls work for parts that make up the rows of a plane.
func (c crew) rows(width, height int, work func(from, to int)) {
	_ = parallel.Bands(c.context(), c.workers, width, height, work)
}

// clone returns a copy of samples. It copies them in pieces: one copy of a large plane would hold up the garbage
// collector, and with it the answer to a signal.
func (c crew) clone(p []float32) []float32 {
	q := make([]float32, len(p))
	c.pieces(len(p), func(from, to int) { copy(q[from:to], p[from:to]) })
	return q
}

func (c crew) context() context.Context {
	if c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}
