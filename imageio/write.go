package imageio

import "io"

// Write encodes the image into a file at path. The file is complete or absent at any time, even after a crash. Nothing
// is created if the image is refused. An existing file is an error that satisfies errors.Is(err, fs.ErrExist) unless
// o.Overwrite is set. Other errors come from Encode, or are *fs.PathError with path as their name.
func Write(path string, img *Image, o WriteOptions) error {
	return WritePages(path, 1, o, func(int) (*Image, error) { return img, nil })
}

// WritePages writes a file of n pages at path, in the same way as Write. It calls next with 0 to n-1 in order, each
// time after the page before has been written, so that one page is in memory at a time. Nothing is created before the
// first page exists and can be written. An error of next is returned unchanged, and then no file is left behind.
func WritePages(path string, n int, o WriteOptions, next func(i int) (*Image, error)) error {
	if err := checkPages(n, next); err != nil {
		return err
	}
	if err := o.canWrite(path); err != nil { // before work that may take long
		return err
	}
	first, err := firstPage(n, o, next)
	if err != nil {
		return err
	}
	return o.writeFile(path, func(w io.Writer) error {
		return EncodePages(w, n, o, func(i int) (*Image, error) {
			if i > 0 {
				return next(i)
			}
			page := first
			first = nil // so that it can be collected when it has been written
			return page, nil
		})
	})
}

// firstPage gets the first page and checks that it can be written.
func firstPage(n int, o WriteOptions, next func(i int) (*Image, error)) (*Image, error) {
	img, err := next(0)
	if err != nil {
		return nil, err
	}
	return img, o.Check(img, n)
}

func checkPages(n int, next func(i int) (*Image, error)) error {
	if n < 1 {
		return failf(ErrArgument, "a file of %d pages", n)
	}
	if next == nil {
		return failf(ErrArgument, "no function for the pages")
	}
	return nil
}

// EncodePages writes a file of n pages to w. It calls next as WritePages does. Only TIFF holds more than one page. The
// errors come from Encode and from next.
func EncodePages(w io.Writer, n int, o WriteOptions, next func(i int) (*Image, error)) error {
	if w == nil {
		return failf(ErrArgument, "no writer")
	}
	if err := checkPages(n, next); err != nil {
		return err
	}
	w = endedWriter{fullWriter{w}, o.Context}
	var stack *tiffWriter
	for i := range n {
		img, err := next(i)
		if err != nil {
			return err
		}
		if i == 0 && img != nil {
			img = noted(img, o.Note)
		}
		if img != nil {
			img = o.deepened(resized(img))
		}
		settled := o
		if err := settled.settle(img, n); err != nil {
			return err
		}
		o.Format = settled.Format // of the first page, whatever the others were
		switch o.Format {
		case PNG:
			return encodePNG(w, img, settled)
		case JPEG:
			return encodeJPEG(w, img, settled)
		case DNG:
			return encodeDNG(w, img, settled)
		}
		if stack == nil {
			stack = &tiffWriter{w: w, o: settled, pages: n}
		}
		if err := stack.page(img); err != nil {
			return err
		}
	}
	return nil
}

// fullWriter is a writer that reports an error if it writes less than it was given.
type fullWriter struct{ w io.Writer }

func (f fullWriter) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	return n, err
}
