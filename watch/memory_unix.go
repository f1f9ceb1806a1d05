//go:build linux || darwin

package watch

import (
	"os"

	"golang.org/x/sys/unix"
)

// LimitMemory bounds the address space of this process, in bytes; 0 sets no bound. A lower limit that the system has
// set stays. It also asks the kernel to kill this process first if memory runs out, so that a worker goes and not its
// daemon.
func LimitMemory(bytes int64) error {
	os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // where there is such a file
	if bytes == 0 {
		return nil
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil {
		return os.NewSyscallError("getrlimit", err)
	}
	limit.Max = min(limit.Max, uint64(bytes)) // only root may raise it
	limit.Cur = min(limit.Cur, limit.Max)
	return os.NewSyscallError("setrlimit", unix.Setrlimit(unix.RLIMIT_AS, &limit))
}
