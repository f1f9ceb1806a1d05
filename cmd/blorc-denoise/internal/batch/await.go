package batch

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/crash"
)

// Await does work that knows no context, such as reading from a pipe that may never end. It leaves the work to itself
// if the context ends before.
func Await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		defer crash.Catch(&r.err)
		r.value, r.err = work()
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
