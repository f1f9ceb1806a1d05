//go:build unix

package batch

import "syscall"

// jobsThatOpen is how many jobs the open files that the system allows suffice for. A job has up to eight files and
// folders open, and the program some.
func jobsThatOpen() int {
	const job, program = 8, 12
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<20 {
		return 1 << 20
	}
	return max(1, (int(limit.Cur)-program)/job)
}
