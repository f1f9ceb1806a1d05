package imageio

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// WriteFileAtomic makes the file at path out of what write writes: into a temporary file in the
// same folder, flushed to the disk, then given its name, then the folder is flushed. At any instant
// the name is absent, or stands for the old file or the whole new one.
//
// After an error the temporary file is gone and the old file is untouched, with one exception: if the folder
// cannot be flushed, the error satisfies errors.Is(err, ErrNotFlushed), and the new file stands whole under its
// name. An error of write is returned as it is, and I/O errors are *fs.PathError with path as their name.
//
// A symlink at path is itself replaced, not followed; a replaced file hands down its permissions.
// Anything else that is not a regular file is refused with ErrUnsupported.
//
// With overwrite false an existing path is an error that satisfies errors.Is(err, fs.ErrExist). This
// holds against other writers too, since a hard link takes the name only if it is free. Where the
// file system has no hard links, an empty file reserves the name and is replaced at once; only
// there a crash in between can leave it empty.
func WriteFileAtomic(path string, overwrite bool, write func(io.Writer) error) error {
	perm, keep, err := target(path, overwrite)
	if err != nil {
		return err
	}
	f, err := createTemp(filepath.Dir(path), perm)
	if err != nil {
		return withPath(err, path)
	}
	defer os.Remove(f.Name()) // fails after a rename, which has taken the name away
	defer f.Close()           // fails after the Close below
	if keep {
		f.Chmod(perm) // as far as the file system knows permissions
	}
	if err := fill(f, write); err != nil {
		return withPath(err, path)
	}
	if err := place(f.Name(), path, overwrite); err != nil {
		return withPath(err, path)
	}
	if err := flushFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%w: %w", ErrNotFlushed, err)
	}
	return nil
}

// flushFolder is changed by a test, to fail.
var flushFolder = syncDir

// fill writes the content and sees it to the disk.
func fill(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// target looks at what is at path, and gives the permissions for the new file; keep says that they
// are those of a file to be replaced, not to be narrowed by the umask.
func target(path string, overwrite bool) (perm fs.FileMode, keep bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
		return 0o666, false, nil
	case err != nil:
		return 0, false, err
	case !overwrite:
		return 0, false, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	case info.Mode()&fs.ModeSymlink != 0:
		return 0o666, false, nil
	}
	return info.Mode().Perm(), true, regular(info)
}

// place gives the finished file its name.
func place(temp, path string, overwrite bool) error {
	if overwrite {
		return os.Rename(temp, path)
	}
	err := os.Link(temp, path)
	if err == nil || os.IsExist(err) {
		return err
	}
	return placeReserved(temp, path)
}

// placeReserved is for file systems without hard links.
func placeReserved(temp, path string) error {
	reserved, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	reserved.Close()
	if err := os.Rename(temp, path); err != nil {
		os.Remove(path)
		return err
	}
	return nil
}

// createTemp differs from os.CreateTemp in its permissions: the file is going to be the user's.
func createTemp(dir string, perm fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf("%s%016x%s", tempPrefix, rand.Uint64(), tempSuffix))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !os.IsExist(err) {
			return f, err
		}
	}
}

// withPath puts the path that the caller knows in the place of the temporary file's.
func withPath(err error, path string) error {
	switch e := err.(type) {
	case *fs.PathError:
		if IsTemp(e.Path) {
			return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
		}
	case *os.LinkError:
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	return err
}
