package denoise

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// orKeep returns no error for a page of an unsupported kind if CopyUnsupported is set.
func (p *pages) orKeep(r Result, err error) (Result, error) {
	if !p.o.CopyUnsupported || !errors.Is(err, imageio.ErrUnsupported) {
		return r, err
	}
	if p.copied == 0 {
		p.why = err.Error()
	}
	p.copied++
	return Result{Noise: None}, nil
}

// withSkipped makes the output have the pages that r has left out. They need a TIFF file.
func (o *FileOptions) withSkipped(r *imageio.Reader) error {
	n, why := r.Skipped()
	if n == 0 {
		return nil
	}
	if !o.writesTIFF() {
		return why
	}
	before := o.Write.BeforeRename
	o.Write.BeforeRename = func(f *os.File) error {
		if err := r.CopySkipped(f); err != nil || before == nil {
			return err
		}
		return before(f)
	}
	return nil
}

// writesTIFF says whether a TIFF file becomes one.
func (o *FileOptions) writesTIFF() bool { return o.Write.Format == 0 || o.Write.Format == imageio.TIFF }

// result describes the file so far.
func (p *pages) result() Result {
	r := p.first
	r.Each = p.each
	r.Format = p.in.Info().Format
	r.Pages, r.Copied, r.CopyReason = p.in.Pages(), p.copied, p.why
	if n, why := p.in.Skipped(); n > 0 {
		r.Pages, r.Copied, r.CopyReason = r.Pages+n, r.Copied+n, why.Error()
	}
	for _, level := range p.unseen {
		r.Warnings = append(slices.Clip(r.Warnings), fmt.Sprintf("no sample has %g, a given level of missing values",
			level))
	}
	r.OneScene = p.series != nil && p.series.oneScene && r.Noise != None
	return r
}

func (o FileOptions) look(i int, img *imageio.Image, denoised bool) {
	if o.Look != nil {
		o.Look(i, img, denoised)
	}
}

func (o FileOptions) pageDone(done, all int) {
	if o.PageDone != nil {
		o.PageDone(done, all)
	}
}

// source opens the bytes of a file.
type source func() (io.ReadCloser, error)

func inMemory(data []byte) source {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

// input is the input of File: bytes, or a regular file within the limits of o.
func (o FileOptions) input(path string) source {
	if o.Data != nil {
		return inMemory(o.Data)
	}
	return func() (io.ReadCloser, error) { return openFile(path, o.Read) }
}

// orCopy copies a whole file with CopyUnsupported, if the error says that its kind is not supported. It returns the
// result and the error that it got if the file is not to be copied, or cannot be.
func (o FileOptions) orCopy(result Result, err error, open source, write func(io.Reader) error) (Result, error) {
	if !o.CopyUnsupported || !errors.Is(err, imageio.ErrUnsupported) {
		return result, err
	}
	from, openErr := open()
	if openErr != nil { // not a regular file, or too large
		return result, err
	}
	defer from.Close()
	in := bufio.NewReader(from)
	if head, _ := in.Peek(headBytes); !holds(o.Write.Format, head) {
		return result, err
	}
	if err := write(in); err != nil {
		return Result{}, err
	}
	return Result{Noise: None, Copied: 1, CopyReason: err.Error()}, nil
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
	case imageio.TIFF, imageio.DNG:
		return begins("II*\x00", "MM\x00*", "II+\x00", "MM\x00+")
	}
	return f == 0
}

// intoFile returns what writes a file in the way of o.Write.
func (o FileOptions) intoFile(out string) func(io.Reader) error {
	return func(r io.Reader) error {
		to := disk.WriteOptions{Overwrite: o.Write.Overwrite, ModTime: o.Write.ModTime,
			BeforeRename: o.Write.BeforeRename}
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
	if info.Size() > maxBytes(o) {
		return nil, imageio.ErrLimit
	}
	return open(path)
}
