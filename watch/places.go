package watch

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// Source is a file of the input folder, as a scan has seen it.
type Source struct {
	Folder string // the input folder
	Name   string // relative to it, with slashes
	Stamp  Stamp
}

// Path is for messages only: what it leads to may have changed.
func (s Source) Path() string { return filepath.Join(s.Folder, filepath.FromSlash(s.Name)) }

// Target says where an output goes. The zero Target means that there is nothing to do.
type Target struct {
	Folder string // the output folder
	Name   string // relative to it, with slashes
}

// Output is the name of an output in the open output folder.
type Output struct {
	Root *os.Root
	Name string // with the separators of the system
}

// Path is for messages only.
func (o Output) Path() string { return filepath.Join(o.Root.Name(), o.Name) }

// open opens the output folder. The Root must be closed.
func (t Target) open() (Output, error) {
	root, err := os.OpenRoot(t.Folder)
	return Output{root, filepath.FromSlash(t.Name)}, err
}

// openInput opens the folder that a file of the input folder is in, and returns the last part of the file's name. No
// part of the name below the input folder may be a link: what is reached this way is inside.
func openInput(in, name string) (folder *disk.Folder, base string, err error) {
	root, err := disk.Open(in)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	folder, err = root.Sub(path.Dir(name))
	return folder, path.Base(name), err
}

// isGone says that an error means that there is no such regular file, whatever has taken its place or that of a folder
// on the way to it.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrLink) || errors.Is(err, disk.ErrNotRegular) ||
		errors.Is(err, syscall.ENOTDIR)
}

// lookIn returns the stamp of a regular file in a folder. If there is none, isGone holds for the error.
func lookIn(folder *disk.Folder, base string) (Stamp, error) {
	info, err := folder.Lstat(base)
	if err != nil {
		return Stamp{}, err
	}
	if !info.Mode().IsRegular() {
		return Stamp{}, &fs.PathError{Op: "read", Path: filepath.Join(folder.Path(), base), Err: fs.ErrNotExist}
	}
	return stampOf(info), nil
}

// look is lookIn for a file of the input folder.
func look(in, name string) (Stamp, error) {
	folder, base, err := openInput(in, name)
	if err != nil {
		return Stamp{}, err
	}
	defer folder.Close()
	return lookIn(folder, base)
}
