package parallel

import "sync"

// Order runs functions one at a time, in the order of their numbers 0, 1, 2 and so on.
type Order struct {
	mu        sync.Mutex
	changed   *sync.Cond
	next      int
	cancelled bool
}

// NewOrder returns an Order that has run nothing.
func NewOrder() *Order {
	s := new(Order)
	s.changed = sync.NewCond(&s.mu)
	return s
}

// Run waits until the functions before number i have run, then runs do. After Cancel it does not wait, and does not run
// a function before its turn.
func (s *Order) Run(i int, do func()) {
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

// Cancel ends all waiting, because the functions before may never run.
func (s *Order) Cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelled = true
	s.changed.Broadcast()
}
