package main

import "testing"

// The worker reads files of up to half of its memory, and no larger ones than were allowed.
func TestMostBytesOfWatchedFiles(t *testing.T) {
	for _, c := range [][3]int64{{plentyOfMemory, 0, 4 << 30}, {64 << 30, 0, 32 << 30}, {64 << 30, 1000, 1000},
		{2 << 30, 3 << 30, 1 << 30}} {
		if got := maxBytes(c[0], c[1]); got != c[2] {
			t.Errorf("memory %d, limit %d: %d, not %d", c[0], c[1], got, c[2])
		}
	}
	if maxBytes(0, 0) < 1<<27 || maxBytes(0, 7) != 7 {
		t.Errorf("without a bound: %d", maxBytes(0, 0))
	}
}
