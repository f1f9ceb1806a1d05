package main

import "testing"

// Large files leave little garbage, and small ones are not slowed down.
func TestGarbagePercent(t *testing.T) {
	for estimate, want := range map[int64]int{0: 20, 1 << 20: 100, 64 << 20: 100, 128 << 20: 50, 1 << 30: 6,
		1 << 36: 5} {
		if got := garbagePercent(estimate); got != want {
			t.Errorf("%d bytes: %d %%, not %d", estimate, got, want)
		}
	}
}
