package imageio

import (
	"bytes"
	"io"
	"os"
)

// Reader reads a file page by page, one page in memory at a time. PNG and JPEG files have one page, TIFF
// files and the stacks of ImageJ have many.
//
// Making a Reader looks at the headers of all pages, and refuses the file if one of them is too large or of
// a kind that is not read. Errors are of the kinds that Decode has; where there are several pages they name
// the page, counted from 1.
type Reader struct {
	format  Format
	options ReadOptions
	data    []byte // of a PNG or JPEG
	tiff    *tiffPages
	file    io.Closer
	info    Info
}

// Info is what the header of a file says of its first page.
type Info struct {
	Format        Format
	Width, Height int // as stored, before the orientation is applied
	Pages         int
}

// Open opens a file for reading page by page. What Read says of files holds here too.
func Open(path string, o ReadOptions) (*Reader, error) {
	f, size, err := openRegular(o.Root, path, o.maxBytes())
	if err != nil {
		return nil, err
	}
	r, err := openFile(f, size, o)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// headBytes is where the size of nearly every PNG and JPEG file is known: profile and thumbnail come before it.
const headBytes = 256 << 10

// openFile reads PNG and JPEG files whole, unless their beginning tells that they are refused; of a TIFF file it reads
// what is needed when it is needed.
func openFile(f *os.File, size int64, o ReadOptions) (*Reader, error) {
	head := make([]byte, min(size, headBytes))
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	head = head[:n]
	format, err := sniff(head)
	if err != nil {
		return nil, err
	}
	if format == TIFF {
		r := &Reader{format: format, options: o, file: f}
		return r, r.scan(f, size)
	}
	if err := o.gateHead(format, head); err != nil {
		return nil, err
	}
	data, err := readImage(f, size, o.maxBytes())
	if err != nil {
		return nil, err
	}
	f.Close() // nothing was written to it
	return NewReader(data, o)
}

// gateHead refuses a size that the beginning of a PNG or JPEG file tells already: the whole may be gigabytes.
func (o ReadOptions) gateHead(format Format, head []byte) error {
	switch format {
	case PNG:
		h, err := parseIHDR(head)
		if err != nil {
			return err
		}
		return o.gate(PNG, h.width, h.height)
	case JPEG:
		if h := scanJPEG(head); h.frame != 0 {
			return o.gate(JPEG, h.width, h.height)
		}
	}
	return nil
}

// NewReader reads the pages of a file from its bytes.
func NewReader(data []byte, o ReadOptions) (*Reader, error) {
	format, err := sniff(data)
	if err != nil {
		return nil, err
	}
	r := &Reader{format: format, options: o, data: data}
	return r, r.scan(bytes.NewReader(data), int64(len(data)))
}

// scan looks at the headers.
func (r *Reader) scan(file io.ReaderAt, size int64) (err error) {
	if r.options.White, err = checkWhite(r.options.White); err != nil {
		return err
	}
	r.info = Info{Format: r.format, Pages: 1}
	var w, h int64
	switch r.format {
	case PNG:
		w, h, err = sizePNG(r.data, r.options)
	case JPEG:
		w, h, err = sizeJPEG(r.data, r.options)
	case TIFF:
		var f *tiffFile
		if f, err = openTIFF(file, size); err != nil {
			return err
		}
		if r.tiff, err = scanTIFF(f, r.options); err != nil {
			return err
		}
		w, h, r.info.Pages = r.tiff.width, r.tiff.height, r.tiff.count()
	}
	r.info.Width, r.info.Height = int(w), int(h)
	return err
}

// Info says what the headers say. Pages may differ in size; it is that of the first.
func (r *Reader) Info() Info { return r.info }

// Pages is the number of pages, at least 1.
func (r *Reader) Pages() int { return r.info.Pages }

// Page decodes the page i, from 0 to Pages()-1, which may be read in any order and more than once.
func (r *Reader) Page(i int) (img *Image, err error) {
	defer func() {
		if p := recover(); p != nil { // a decoder that was not written here
			img, err = nil, damagedf(r.format, "its decoder failed: %v", p)
		}
	}()
	switch r.format {
	case PNG:
		return decodePNG(r.data, r.options)
	case JPEG:
		return decodeJPEG(r.data, r.options)
	}
	return r.tiff.page(i, r.options)
}

// only decodes the page of a file that has no other.
func (r *Reader) only() (*Image, error) {
	if r.Pages() > 1 {
		return nil, unsupportedTIFF("%d pages, where one image is wanted,", r.Pages())
	}
	return r.Page(0)
}

// Close closes the file, and lets go of what was read of it. It may be called more than once.
func (r *Reader) Close() error {
	r.data = nil
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return file.Close()
}
