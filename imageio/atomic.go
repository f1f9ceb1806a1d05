package imageio

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// WriteFileAtomic makes the file at path out of what write writes: into a temporary file in the same folder, flushed to
// the disk, then given its name, then the folder is flushed. At any instant the name is absent, or belongs to the old
// file or the whole new one.
//
// After an error the temporary file is gone and the old file is untouched, with one exception: if the folder cannot be
// flushed, the error satisfies errors.Is(err, ErrNotFlushed), and the new file has its name. An error of write is
// returned as it is, and I/O errors are *fs.PathError with path as their name.
//
// A symlink at path is itself replaced, not followed. A replaced file hands down its permissions. Anything else that
// is not a regular file is refused with ErrUnsupported.
//
// With overwrite false an existing path is an error that satisfies errors.Is(err, fs.ErrExist). This holds against
// other writers too, since a hard link takes the name only if it is free. Where the file system has no hard links, an
// empty file reserves the name and is replaced at once; only there a crash in between can leave it empty.
func WriteFileAtomic(path string, overwrite bool, write func(io.Writer) error) error {
	if write == nil {
		return failf(ErrArgument, "no function that writes")
	}
	return WriteOptions{Overwrite: overwrite}.writeFile(path, write)
}

// writeFile writes the file where and how the options say.
func (o WriteOptions) writeFile(path string, write func(io.Writer) error) error {
	to := disk.WriteOptions{Overwrite: o.Overwrite, ModTime: o.ModTime, BeforeRename: o.BeforeRename}
	if o.Root == nil {
		return irregular(disk.Write(path, to, write))
	}
	return o.inRoot(path, func(f *disk.Folder) error { return f.Write(filepath.Base(path), to, write) })
}

// canWrite returns the error of writeFile that can be told beforehand.
func (o WriteOptions) canWrite(path string) error {
	if o.Root == nil {
		return irregular(disk.CanWrite(path, o.Overwrite))
	}
	return o.inRoot(path, func(f *disk.Folder) error { return f.CanWrite(filepath.Base(path), o.Overwrite) })
}

func (o WriteOptions) inRoot(path string, work func(f *disk.Folder) error) error {
	folder, err := disk.FromRoot(o.Root).Below(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return irregular(work(folder))
}

// irregular gives errors about what is no regular file their kind.
func irregular(err error) error {
	var p *fs.PathError
	if errors.Is(err, disk.ErrNotRegular) && errors.As(err, &p) {
		return failf(ErrUnsupported, "%v", p)
	}
	return err
}
