// Package parallel runs independent pieces of work on several goroutines. Which worker takes which piece is left to
// chance, so callers must make every piece write to its own place; results then do not depend on the number of workers.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers returns n, or the number of usable processors if n <= 0.
func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// For calls work(worker, i) for every i in [0, n) on at most workers goroutines. worker is in [0, workers) and is never
// used by two goroutines at a time, so it may index scratch memory. For returns early with the context's error.
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
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { run(w) })
	}
	wg.Wait()
	return ctx.Err()
}
