package stage

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Work on single samples is short, so that it need not stop with a context.

// rows calls work for each row of a plane.
func rows(p patchify.Plane, workers int, work func(y int)) {
	_ = parallel.Bands(context.Background(), workers, p.Width, p.Height, func(from, to int) {
		for y := from; y < to; y++ {
			work(y)
		}
	})
}

// pieces calls work for parts that make up 0..n-1.
func pieces(n, workers int, work func(from, to int)) {
	_ = parallel.Bands(context.Background(), workers, 1, n, work)
}
