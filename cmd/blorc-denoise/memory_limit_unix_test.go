//go:build linux || darwin

package main

import "testing"

// What Go writes when it gets no memory is known; other crashes are not taken for it.
func TestOutOfMemoryIsKnown(t *testing.T) {
	for text, want := range map[string]bool{
		"runtime: out of memory: cannot allocate 4194304-byte block (32997376 in use)\nfatal error: out of " +
			"memory\n\ngoroutine 1": true,
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: " +
			"abort": true,
		"fatal error: runtime: cannot allocate " +
			"memory\n": true,
		"panic: runtime error: index out of range " +
			"[1]\n": false,
		"fatal error: all goroutines are " +
			"asleep\n": false,
		"": false,
	} {
		if got := isOutOfMemory(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
