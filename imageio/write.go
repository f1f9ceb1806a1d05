package imageio

import "io"

// Write encodes the image into a file at path, by way of WriteFileAtomic. Nothing is created if the
// image is refused; the errors are those of Encode and WriteFileAtomic.
func Write(path string, img *Image, o WriteOptions) error {
	return WritePages(path, 1, o, func(int) (*Image, error) { return img, nil })
}

// WritePages writes a file of n pages, by way of WriteFileAtomic. The pages come from next, which is called
// with 0 to n-1 in turn, each when the one before has been written; so one page is in memory at a time.
// Nothing is created before the first page is there and found fit. Errors of next are returned as they are,
// and leave nothing behind.
func WritePages(path string, n int, o WriteOptions, next func(i int) (*Image, error)) error {
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
			first = nil // it may go when it is written
			return page, nil
		})
	})
}

// firstPage is the one that decides whether a file is made at all.
func firstPage(n int, o WriteOptions, next func(i int) (*Image, error)) (*Image, error) {
	img, err := next(0)
	if err != nil {
		return nil, err
	}
	return img, o.Check(img, n)
}

// EncodePages writes a file of n pages, which come from next as for WritePages. Only TIFF holds more than one.
func EncodePages(w io.Writer, n int, o WriteOptions, next func(i int) (*Image, error)) error {
	var stack *tiffWriter
	for i := range n {
		img, err := next(i)
		if err != nil {
			return err
		}
		settled := o
		if err := settled.settle(img, n); err != nil {
			return err
		}
		switch settled.Format {
		case PNG:
			return encodePNG(w, img, settled.Strip)
		case JPEG:
			return encodeJPEG(w, img, settled)
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
