package imageio

import "io"

// Write encodes the image into a file at path, by way of WriteFileAtomic. Nothing is created if the
// image is refused; the errors are those of Encode and WriteFileAtomic.
func Write(path string, img *Image, o WriteOptions) error {
	if err := o.settle(img); err != nil {
		return err
	}
	return WriteFileAtomic(path, o.Overwrite, func(w io.Writer) error { return Encode(w, img, o) })
}
