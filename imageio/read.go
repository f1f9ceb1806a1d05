package imageio

import (
	"bytes"
	"io"
	"io/fs"
	"os"
)

// Read decodes the file at path. A directory, FIFO, socket or device is refused with
// ErrUnsupported and never waited for; a symlink is followed. Errors of the file system are
// *fs.PathError, the others are those of Decode and do not name the path.
func Read(path string, o ReadOptions) (*Image, error) {
	data, err := readFile(path, o.maxBytes())
	if err != nil {
		return nil, err
	}
	return Decode(data, o)
}

// readFile reads a regular file whose first bytes look like an image.
func readFile(path string, limit int64) ([]byte, error) {
	// Opening a device may act on it, so it is looked at first; what is opened then is looked at
	// again, in case the name has changed hands.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	f, err := openNow(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, tooManyBytes(limit)
	}
	return readImage(f, info.Size(), limit)
}

// readImage reads at most limit bytes, and no more than the first few of something else. A file
// that grows while it is read is measured by what comes out of it.
func readImage(r io.Reader, size, limit int64) ([]byte, error) {
	head := make([]byte, 16)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if _, err := sniff(head[:n]); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	b.Write(head[:n])
	if _, err := b.ReadFrom(io.LimitReader(r, limit+1-int64(n))); err != nil {
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
