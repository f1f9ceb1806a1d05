package denoise

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// orCopy copies a whole file with CopyUnsupported, if the error says that its kind is not supported. It returns the error if the file
// is not to be copied, or cannot be.
func (o FileOptions) orCopy(err error, open func() (io.ReadCloser, error), write func(io.Reader) error) (Result, error) {
	if !o.CopyUnsupported || !errors.Is(err, imageio.ErrUnsupported) {
		return Result{}, err
	}
	from, openErr := open()
	if openErr != nil { // not a regular file, or too large
		return Result{}, err
	}
	defer from.Close()
	in := bufio.NewReader(from)
	if head, _ := in.Peek(headBytes); !holds(o.Write.Format, head) {
		return Result{}, err
	}
	if err := write(in); err != nil {
		return Result{}, err
	}
	r := Result{}
	r.copied(1, err)
	return r, nil
}

// headBytes is how much of a file tells its format.
const headBytes = 8

// counter counts the bytes that go through it.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// holds reports whether the bytes are of a file of a format, as far as its first bytes tell. Any are of format 0.
func holds(f imageio.Format, data []byte) bool {
	begins := func(texts ...string) bool {
		for _, t := range texts {
			if bytes.HasPrefix(data, []byte(t)) {
				return true
			}
		}
		return false
	}
	switch f {
	case imageio.PNG:
		return begins("\x89PNG\r\n\x1a\n")
	case imageio.JPEG:
		return begins("\xff\xd8\xff")
	case imageio.TIFF:
		return begins("II*\x00", "MM\x00*", "II+\x00", "MM\x00+")
	}
	return f == 0
}

// intoFile returns what writes a file in the way of o.Write.
func (o FileOptions) intoFile(out string) func(io.Reader) error {
	return func(r io.Reader) error {
		to := disk.WriteOptions{Overwrite: o.Write.Overwrite, ModTime: o.Write.ModTime, BeforeRename: o.Write.BeforeRename}
		write := func(w io.Writer) error {
			_, err := io.Copy(w, r)
			return err
		}
		if o.Write.Root == nil {
			return disk.Write(out, to, write)
		}
		folder, err := disk.FromRoot(o.Write.Root).Below(filepath.Dir(out))
		if err != nil {
			return err
		}
		defer folder.Close()
		return folder.Write(filepath.Base(out), to, write)
	}
}

// openFile opens a regular file within the limits of o.
func openFile(path string, o imageio.ReadOptions) (io.ReadCloser, error) {
	stat, open := os.Stat, os.Open
	if o.Root != nil {
		stat, open = o.Root.Stat, o.Root.Open
	}
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, disk.ErrNotRegular
	}
	limit := o.MaxBytes
	if limit <= 0 {
		limit = imageio.DefaultMaxBytes
	}
	if info.Size() > limit {
		return nil, imageio.ErrLimit
	}
	return open(path)
}
