//go:build unix

package imageio

import (
	"os"
	"syscall"
)

// nonBlocking keeps an open from waiting for the writer of a FIFO.
const nonBlocking = syscall.O_NONBLOCK

func openNow(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|nonBlocking, 0) }
