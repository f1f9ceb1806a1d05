package imageio

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Read decodes the file at path, which must have one page. A symbolic link is followed. A directory, FIFO, socket or
// device is refused with ErrUnsupported, without waiting for it. Errors of the file system are *fs.PathError. All other
// errors come from Decode and do not name the path.
func Read(path string, o ReadOptions) (*Image, error) {
	r, err := Open(path, o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.only()
}

// openRegular opens a regular file and returns its size, which must not exceed limit bytes. The path is in root unless
// root is nil.
func openRegular(root *os.Root, path string, limit int64) (*os.File, int64, error) {
	if root != nil {
		return openRegularIn(root, path, limit)
	}
	// Opening a device may act on it, so look at the name first. Look at the open file again, because the name may have
	// been given to another file in between.
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := regular(info); err != nil {
		return nil, 0, err
	}
	f, err := openNow(path)
	if err != nil {
		return nil, 0, err
	}
	return checkOpened(f, limit)
}

// openRegularIn is openRegular for a path in an open folder.
func openRegularIn(root *os.Root, path string, limit int64) (*os.File, int64, error) {
	named := func(err error) error {
		var p *fs.PathError
		if errors.As(err, &p) {
			return &fs.PathError{Op: strings.TrimSuffix(p.Op, "at"), Path: filepath.Join(root.Name(), path), Err: p.Err}
		}
		return err
	}
	info, err := root.Stat(path)
	if err != nil {
		return nil, 0, named(err)
	}
	if err := regular(info); err != nil {
		return nil, 0, err
	}
	f, err := root.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, 0, named(err)
	}
	return checkOpened(f, limit)
}

func checkOpened(f *os.File, limit int64) (*os.File, int64, error) {
	info, err := f.Stat()
	if err == nil {
		err = regular(info)
	}
	if err == nil && info.Size() > limit {
		err = tooManyBytes(limit)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// readAll reads a file that is expected to have size bytes. The file may grow while it is read, so the limit applies to
// the bytes that arrive. They must be addressable, which matters on 32-bit systems.
func readAll(r io.Reader, size, limit int64) ([]byte, error) {
	if limit = min(limit, math.MaxInt-bytes.MinRead); size > limit {
		return nil, tooManyBytes(limit)
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > limit {
		return nil, tooManyBytes(limit)
	}
	return b.Bytes(), nil
}

func tooManyBytes(limit int64) error {
	return failf(ErrLimit, "file of more than %d bytes", limit)
}

func regular(info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return failf(ErrUnsupported, "is a directory")
	}
	return failf(ErrUnsupported, "not a regular file")
}
