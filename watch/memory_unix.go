//go:build linux || darwin

package watch

import (
	"os"

	"golang.org/x/sys/unix"
)

// LimitMemory bounds the address space of this process, and asks the kernel to prefer it if some process has to go, so that
// a worker is hit and not its daemon. 0 sets no bound.
func LimitMemory(bytes int64) error {
	os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // where there is such a file
	if bytes == 0 {
		return nil
	}
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	return os.NewSyscallError("setrlimit", unix.Setrlimit(unix.RLIMIT_AS, &limit))
}
