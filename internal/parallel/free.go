package parallel

import "sync"

// Free keeps values that are expensive to make, such as scratch memory, for whoever needs one next. Unlike sync.Pool it
// never drops any, so memory is used again for certain; there are never more than were in use at one time. The zero value
// makes new ones with new(T) unless New is set.
type Free[T any] struct {
	New func() *T

	mu   sync.Mutex
	free []*T
}

// Get returns a value that nobody uses.
func (f *Free[T]) Get() *T {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.free); n > 0 {
		v := f.free[n-1]
		f.free = f.free[:n-1]
		return v
	}
	if f.New == nil {
		return new(T)
	}
	return f.New()
}

// Put gives a value back.
func (f *Free[T]) Put(v *T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free = append(f.free, v)
}
