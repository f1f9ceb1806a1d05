//go:build unix

package imageio

import (
	"errors"
	"os"
	"syscall"
)

// openNow opens for reading without waiting for the writer of a FIFO.
func openNow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// syncDir makes a rename in the folder survive a power loss, where the file system can. A folder may
// be open to writing but closed to reading, and then cannot be flushed.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if os.IsPermission(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
