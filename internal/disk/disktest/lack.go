// Package disktest helps tests that need something of the system.
package disktest

import (
	"runtime"
	"testing"
)

// Lacks ends a test whose subject is not to be had: links, leases, mounts for the superuser. Linux has it, so the test
// fails there. Elsewhere it is skipped.
func Lacks(t testing.TB, why any) {
	t.Helper()
	if runtime.GOOS == "linux" {
		t.Fatalf("this must work on Linux: %v", why)
	}
	t.Skip(why)
}
