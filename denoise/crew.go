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
	ctx := c.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	_ = parallel.For(ctx, c.workers, n, func(_, i int) { work(i) })
}

// pieces calls work for parts that make up 0..n-1.
func (c crew) pieces(n int, work func(from, to int)) {
	const piece = 1 << 16
	c.each((n+piece-1)/piece, func(i int) { work(i*piece, min((i+1)*piece, n)) })
}
