//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the lock of an open file without waiting. The kernel releases it when the process ends, however it
// ends.
func TryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return true, nil
}
