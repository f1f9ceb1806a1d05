//go:build unix

package watch

import (
	"os"
	"syscall"
)

// openStill opens for reading without following a link and without waiting for the other end of a FIFO, which may have
// taken the place of the file.
func openStill(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
