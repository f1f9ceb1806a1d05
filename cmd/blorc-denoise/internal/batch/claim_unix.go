//go:build unix

package batch

import (
	"os"
	"time"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// claimable says that a file can be replaced while it is claimed.
const claimable = true

// claimed takes the lock of an open file. File systems without locks let everybody have it.
func claimed(f *os.File) bool {
	ok, err := disk.TryLock(f)
	return ok || err != nil
}

// waitForLock takes the lock of a file that others have for moments only.
func waitForLock(f *os.File) {
	for range 1000 {
		if claimed(f) {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}
