package imageio

import "bytes"

const (
	pngSignature  = "\x89PNG\r\n\x1a\n"
	jpegSignature = "\xff\xd8\xff"
)

// sniff tells the format by the first bytes of a file. An error says why there is none.
func sniff(head []byte) (Format, error) {
	starts := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	switch {
	case len(head) == 0:
		return 0, failf(ErrFormat, "empty file (0 bytes)")
	case starts(pngSignature):
		return PNG, nil
	case starts(jpegSignature):
		return JPEG, nil
	case starts("II*\x00"), starts("MM\x00*"), starts("II+\x00"), starts("MM\x00+"):
		return TIFF, nil
	}
	return 0, failf(ErrFormat, "not a PNG, JPEG or TIFF file")
}

// Decode reads an image from the bytes of a file. The format is told by content. A file of several pages is
// refused with ErrUnsupported; NewReader reads those.
//
// The error is of kind ErrFormat, ErrUnsupported or ErrLimit. A NaN or Inf in a float TIFF is an
// ErrFormat that names the first bad pixel by column and row as stored, from 0.
func Decode(data []byte, o ReadOptions) (*Image, error) {
	r, err := NewReader(data, o)
	if err != nil {
		return nil, err
	}
	return r.only()
}
