package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

var (
	// ErrNotFlushed means that the file has been written whole and has its name, but its folder could not be flushed,
	// so a loss of power may undo that.
	ErrNotFlushed = errors.New("written, but its folder could not be flushed to the disk")
	// ErrNotRegular means that a name belongs to a folder, device, FIFO or socket.
	ErrNotRegular = errors.New("not a regular file")
)

// WriteOptions say how a file is written. The zero value writes a new file.
type WriteOptions struct {
	Overwrite bool      // an existing file is replaced; otherwise it is fs.ErrExist
	ModTime   time.Time // the file's time; zero means now
	// BeforeRename is called with the finished and flushed file, before the file gets its name. An error leaves
	// everything as it was and is returned as it is. It must flush what it changes, and must not close the file.
	BeforeRename func(*os.File) error
}

// Write makes the file at path out of what write writes. See Folder.Write. The last part of the path is not followed if
// it is a link; the folder is reached as Open does.
func Write(path string, o WriteOptions, write func(io.Writer) error) error {
	return inFolder(path, func(f *Folder) error { return f.Write(filepath.Base(path), o, write) })
}

// CanWrite returns the error of a Write that can be told beforehand: the folder is not there, or the name is taken.
func CanWrite(path string, overwrite bool) error {
	return inFolder(path, func(f *Folder) error { return f.CanWrite(filepath.Base(path), overwrite) })
}

// inFolder opens the folder of a file for work.
func inFolder(path string, work func(f *Folder) error) error {
	f, err := OpenForWriting(filepath.Dir(path))
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = &fs.PathError{Op: p.Op, Path: path, Err: p.Err}
		}
		return err
	}
	defer f.Close()
	f.path = filepath.Dir(path)
	return work(f)
}

// CanWrite is like the function of that name.
func (f *Folder) CanWrite(name string, overwrite bool) error {
	_, _, err := f.target(name, overwrite)
	return err
}

// Write makes the file of that name, without separators, out of what write writes: into a temporary file in the same
// folder, flushed to the disk, then given its name, then the folder is flushed. At any instant the name is absent, or
// belongs to the old file or the whole new one.
//
// After an error the temporary file is gone and the old file is untouched, with one exception: if the folder cannot be
// flushed, the error satisfies errors.Is(err, ErrNotFlushed), and the new file has its name. An error of write is
// returned as it is, and I/O errors are *fs.PathError with the path of the file.
//
// A link at the name is itself replaced, not followed. A replaced file hands down its permissions. Anything else
// that is not a regular file is refused with ErrNotRegular.
//
// Without Overwrite an existing name is fs.ErrExist. This holds against other writers too, since a hard link takes the
// name only if it is free. Where the file system has no hard links, an empty file reserves the name and is replaced at
// once; only there a crash in between can leave it empty.
func (f *Folder) Write(name string, o WriteOptions, write func(io.Writer) error) error {
	perm, keep, err := f.target(name, o.Overwrite)
	if err != nil {
		return err
	}
	file, temp, err := f.createTemp(perm)
	if err != nil {
		return f.named(err, name)
	}
	defer f.names.Remove(temp) // fails after a rename, which has taken the name away
	defer file.Close()         // fails after the Close below
	if keep {
		file.Chmod(perm) // as far as the file system knows permissions
	}
	if err := f.fill(file, temp, o, write); err != nil {
		return f.withName(err, file, name)
	}
	if o.Overwrite {
		err = f.Rename(temp, name)
	} else {
		err = f.takeFree(temp, name)
	}
	if err != nil {
		return f.named(err, name)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotFlushed, err)
	}
	return nil
}

// fill writes the content, flushes it, and asks BeforeRename.
func (f *Folder) fill(file *os.File, temp string, o WriteOptions, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(file, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.setTime(temp, o.ModTime); err != nil {
		return err
	}
	if err := Flush(file); err != nil {
		return err
	}
	if o.BeforeRename != nil {
		if err := o.BeforeRename(file); err != nil {
			return err
		}
	}
	if err := file.Close(); err != nil {
		return err
	}
	return f.setTime(temp, o.ModTime) // Windows sets the time again when a file is closed
}

func (f *Folder) setTime(name string, t time.Time) error {
	if t.IsZero() {
		return nil
	}
	return f.names.Chtimes(name, t, t)
}

// target looks at what has the name now and returns the permissions for the new file. keep says that they come from a
// file to be replaced and are not to be narrowed by the umask.
func (f *Folder) target(name string, overwrite bool) (perm fs.FileMode, keep bool, err error) {
	info, err := f.Lstat(name)
	refuse := func(err error) (fs.FileMode, bool, error) {
		return 0, false, &fs.PathError{Op: "create", Path: filepath.Join(f.path, name), Err: err}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0o666, false, nil
	case err != nil:
		return 0, false, err
	case !overwrite:
		return refuse(fs.ErrExist)
	case info.Mode()&fs.ModeSymlink != 0:
		return 0o666, false, nil
	case !info.Mode().IsRegular():
		return refuse(notRegular(info))
	}
	return info.Mode().Perm(), true, nil
}

// notRegular says what something is that is no regular file.
func notRegular(info fs.FileInfo) error {
	if info.IsDir() {
		return &special{"is a directory"}
	}
	return ErrNotRegular
}

// special is ErrNotRegular with a text of its own.
type special struct{ text string }

func (e *special) Error() string { return e.text }
func (e *special) Unwrap() error { return ErrNotRegular }

// takeFree gives a file a name that is free, and else returns fs.ErrExist. The old name may stay.
func (f *Folder) takeFree(old, name string) error {
	err := f.Link(old, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return f.takeReserved(old, name)
}

// takeReserved is takeFree for file systems without hard links.
func (f *Folder) takeReserved(old, name string) error {
	reserved, err := f.names.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	reserved.Close()
	if err := f.Rename(old, name); err != nil {
		f.names.Remove(name)
		return err
	}
	return nil
}

// withName replaces the path of the temporary file in an error by the one that the caller knows.
func (f *Folder) withName(err error, temp *os.File, name string) error {
	if p, ok := err.(*fs.PathError); ok && (p.Path == temp.Name() || IsTemp(p.Path)) {
		return &fs.PathError{Op: p.Op, Path: filepath.Join(f.path, name), Err: p.Err}
	}
	return err
}
