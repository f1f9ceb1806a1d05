//go:build unix

package paper

import "syscall"

// processorSeconds returns the processor time that this process has used, in seconds, or 0 if it is not known.
func processorSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Nano()) / 1e9 }
	return seconds(u.Utime) + seconds(u.Stime)
}
