//go:build unix

package batch

import (
	"errors"
	"os"
	"syscall"
)

// syncFolder makes a rename survive a power loss, where the file system can and the folder may be read.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
