package imageio

import (
	"bytes"
	"io"
	"os"
)

// Reader reads a file page by page, with one page in memory at a time. TIFF files and ImageJ stacks may
// have many pages, other files have one.
//
// Opening a Reader reads the headers of all pages. It fails if any page is too large or of a kind that is not
// supported, unless ReadOptions.SkipUnsupported leaves such pages out. The errors are of the kinds of Decode. In a file
// of several pages they name the page, counted from 1.
type Reader struct {
	options ReadOptions
	data    []byte // of the whole file, unless it is a TIFF
	tiff    *tiffPages
	file    io.Closer
	info    Info
	closed  bool

	skipped []skippedPage
}

// Open opens the file at path for reading page by page. It treats files that are not regular as Read does. The caller
// must close the Reader.
func Open(path string, o ReadOptions) (*Reader, error) {
	f, size, err := openRegular(o.Root, path, o.maxBytes())
	if err != nil {
		return nil, err
	}
	r, err := openFile(f, size, o)
	if err != nil {
		f.Close()
		return nil, adviseByName(path, err)
	}
	return r, nil
}

// openFile reads all of a file that is no TIFF, unless its headers are refused. It reads the parts of a TIFF file when
// they are needed.
func openFile(f *os.File, size int64, o ReadOptions) (*Reader, error) {
	format, err := sniffFile(f, size)
	if err != nil {
		return nil, err
	}
	if format == TIFF {
		r := &Reader{options: o, file: f}
		return r, r.scan(format, f, size)
	}
	if _, err := headInfo(f, size, format, o); err != nil {
		return nil, err
	}
	data, err := readAll(f, size, o.maxBytes())
	if err != nil {
		return nil, err
	}
	f.Close() // nothing was written to it
	return NewReader(data, o)
}

// NewReader reads pages from the bytes of a file. The Reader keeps data, which must not change.
func NewReader(data []byte, o ReadOptions) (*Reader, error) {
	if int64(len(data)) > o.maxBytes() {
		return nil, tooManyBytes(o.maxBytes())
	}
	format, err := sniffWhole(data, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	r := &Reader{options: o, data: data}
	return r, r.scan(format, bytes.NewReader(data), int64(len(data)))
}

// scan reads the headers.
func (r *Reader) scan(format Format, file io.ReaderAt, size int64) (err error) {
	if r.options.White, err = checkWhite(r.options.White); err != nil {
		return err
	}
	if err := checkNoData(r.options.NoData); err != nil {
		return err
	}
	if format == TIFF {
		if r.tiff, err = openPages(file, size, r.options); err != nil {
			return err
		}
		r.info, r.skipped = r.tiff.info, r.tiff.skipped
		return nil
	}
	if r.info, err = codecs[format].all(r.data, size, r.options); err == errShort {
		return truncated(format)
	}
	return err
}

// Info returns what the headers say. Pages may differ; it describes the first.
func (r *Reader) Info() Info { return r.info }

// Bytes returns the bytes of the file, which must not be changed. It returns nil for TIFF files, which are read in
// parts, and if the Reader is closed.
func (r *Reader) Bytes() []byte {
	if r.tiff != nil {
		return nil
	}
	return r.data
}

// Pages returns the number of pages, at least 1.
func (r *Reader) Pages() int { return r.info.Pages }

// Page decodes page i, from 0 to Pages()-1. Pages may be read in any order and more than once. The error is ErrArgument
// if there is no such page or if the Reader is closed.
func (r *Reader) Page(i int) (img *Image, err error) {
	switch {
	case i < 0 || i >= r.Pages():
		return nil, failf(ErrArgument, "page %d of a file of %d pages", i, r.Pages())
	case r.closed:
		return nil, failf(ErrArgument, "reader is closed")
	}
	defer func() {
		if p := recover(); p != nil { // a decoder of another package
			img, err = nil, damagedf(r.info.Format, "its decoder failed: %v", p)
		}
	}()
	if img, err = r.decode(i); err != nil {
		return nil, err
	}
	if img.Meta != nil {
		img.Meta.width, img.Meta.height = img.Width, img.Height
	}
	if r.options.KeepInvalid {
		img.warnOfInvalid()
	}
	if len(r.options.NoData) > 0 {
		img.NoData = r.options.NoData
	}
	return img, nil
}

// decode decodes page i.
func (r *Reader) decode(i int) (*Image, error) {
	if r.tiff != nil {
		return r.tiff.page(i, r.options)
	}
	return codecs[r.info.Format].decode(r.data, r.options)
}

// only decodes the page of a file that has no other.
func (r *Reader) only() (*Image, error) {
	if r.Pages() > 1 {
		return nil, unsupportedTIFF("%d pages, where one image is wanted,", r.Pages())
	}
	return r.Page(0)
}

// Close closes the file and releases the memory that holds parts of it. It may be called more than once.
func (r *Reader) Close() error {
	r.data, r.tiff, r.closed = nil, nil, true
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return file.Close()
}
