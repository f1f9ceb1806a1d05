//go:build unix

package imageio

import (
	"os"
	"syscall"
)

// openNow opens for reading without waiting for the writer of a FIFO.
func openNow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
