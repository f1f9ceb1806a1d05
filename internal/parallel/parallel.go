// Package parallel runs independent pieces of work on several goroutines. Which worker takes which piece is not
// defined. If every piece writes only to memory of its own, results do not depend on the number of workers.
package parallel

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// Workers returns n, or the number of usable processors if n < 1.
func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// For calls work(worker, i) for every i in [0, n) on at most Workers(workers) goroutines. worker is less than that
// number and is the same for no two calls at a time, so it may index scratch memory. When the context is done, For
// starts no more calls and returns the error of the context. A panic of a call is one of For.
func For(ctx context.Context, workers, n int, work func(worker, i int)) error {
	workers = min(Workers(workers), n)
	var next atomic.Int64
	run := func(worker int) {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			work(worker, i)
		}
	}
	if workers <= 1 {
		run(0)
		return ctx.Err()
	}
	var all crash.Group
	for w := range workers {
		all.Go(func() { run(w) })
	}
	all.Wait()
	return ctx.Err()
}

// bandSamples is about how many samples a band has: enough to be worth a call, and few enough for a cache.
const bandSamples = 1 << 16

// Bands calls work for runs of rows, from to to-1, that make up the height rows of a plane. It is For otherwise.
func Bands(ctx context.Context, workers, width, height int, work func(from, to int)) error {
	rows := max(1, bandSamples/max(1, width))
	return For(ctx, workers, (height+rows-1)/rows, func(_, i int) { work(i*rows, min((i+1)*rows, height)) })
}
