package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes the lock of an open file without waiting. The system releases it when the process ends, however it
// ends.
func TryLock(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
	if err == windows.ERROR_LOCK_VIOLATION {
		return false, nil
	}
	if err != nil {
		return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return true, nil
}
