package parallel

import (
	"context"
	"sync"
)

// InOrder is For that also calls then(worker, i) after each work(worker, i): one call at a time, and in the order of i.
func InOrder(ctx context.Context, workers, n int, work, then func(worker, i int)) error {
	o := newOrder()
	stop := context.AfterFunc(ctx, o.cancel)
	defer stop()
	return For(ctx, workers, n, func(worker, i int) {
		whole := false
		defer func() {
			if !whole { // a panic, and nobody is to wait for what comes after it
				o.cancel()
			}
		}()
		work(worker, i)
		o.run(i, func() { then(worker, i) })
		whole = true
	})
}

// order runs functions one at a time, in the order of their numbers 0, 1, 2 and so on.
type order struct {
	mu        sync.Mutex
	changed   *sync.Cond
	next      int
	cancelled bool
}

func newOrder() *order {
	s := new(order)
	s.changed = sync.NewCond(&s.mu)
	return s
}

// run waits until the functions before number i have run, then runs do. After cancel it does not wait, and does not run
// a function before its turn.
func (s *order) run(i int, do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.next != i && !s.cancelled {
		s.changed.Wait()
	}
	if s.next == i {
		do()
		s.next++
		s.changed.Broadcast()
	}
}

// cancel ends all waiting, because the functions before may never run.
func (s *order) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelled = true
	s.changed.Broadcast()
}
