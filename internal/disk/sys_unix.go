//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFlags keep an open from waiting for the other end of a FIFO.
const openFlags = syscall.O_NONBLOCK

func (f *Folder) sync() error {
	d, err := f.names.OpenFile(".", os.O_RDONLY, 0)
	return f.named(syncOpened(d, err), ".")
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	return syncOpened(d, err)
}

func syncOpened(d *os.File, err error) error {
	if os.IsPermission(err) { // the folder may be open to writing only
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

// link gives a file a second name in another open folder.
func link(from *Folder, name string, to *Folder, as string) error {
	a, err := from.names.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return from.named(err, ".")
	}
	defer a.Close()
	b, err := to.names.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return to.named(err, ".")
	}
	defer b.Close()
	if err := unix.Linkat(int(a.Fd()), name, int(b.Fd()), as, 0); err != nil {
		return &fs.PathError{Op: "link", Path: filepath.Join(to.path, as), Err: err}
	}
	return nil
}

// IsFull says that a disk, or what a user may put on it, is full.
func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
