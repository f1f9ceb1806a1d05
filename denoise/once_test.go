package denoise

import (
	"context"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestOnceDone checks that what was cancelled is done again, that what is done is not, and that nobody waits for longer
// than his context.
func TestOnceDone(t *testing.T) {
	calls := 0
	begun, end := make(chan bool), make(chan bool)
	f := onceDone(func(ctx context.Context) (int, error) {
		if calls++; calls == 1 {
			close(begun)
			<-end
			return 0, ctx.Err()
		}
		return calls, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() { _, err := f(ctx); first <- err }()
	<-begun
	ended, cancelOther := context.WithCancel(t.Context())
	cancelOther()
	must.Fail(t, "one that waits", must.Err(f(ended)), context.Canceled)
	cancel()
	close(end)
	must.Fail(t, "one that was cancelled", <-first, context.Canceled)
	for range 2 {
		if n, err := f(t.Context()); n != 2 || err != nil {
			t.Errorf("the next: %d, %v", n, err)
		}
	}
}
