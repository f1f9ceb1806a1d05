//go:build !unix

package disk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

const openFlags = 0

// sync does nothing: folders cannot be flushed here.
func (f *Folder) sync() error { return nil }

// syncFolder does nothing: folders cannot be flushed here.
func syncFolder(string) error { return nil }

// link goes by the paths of the folders, since there is no call that takes two open folders.
func link(from *Folder, name string, to *Folder, as string) error {
	return to.named(os.Link(filepath.Join(from.path, name), filepath.Join(to.path, as)), as)
}

// copyOwner does nothing: a file gets the owner of the process here.
func copyOwner(to *os.File, from os.FileInfo) {}

// IsFull says that a disk is full.
func IsFull(err error) bool {
	const handleDiskFull, diskFull = syscall.Errno(39), syscall.Errno(112) // of Windows
	return errors.Is(err, handleDiskFull) || errors.Is(err, diskFull)
}
