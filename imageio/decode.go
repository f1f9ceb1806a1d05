package imageio

import "bytes"

const (
	pngSignature  = "\x89PNG\r\n\x1a\n"
	jpegSignature = "\xff\xd8\xff"
)

// sniff returns the format of a file by its first bytes.
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

// Decode decodes the bytes of a file. The content decides the format. A file of several pages is refused with
// ErrUnsupported; use NewReader for those.
//
// The error is of kind ErrFormat, ErrUnsupported or ErrLimit. A NaN or Inf in a float TIFF is an ErrFormat that names
// the column and row of the first bad pixel as stored, counted from 0.
func Decode(data []byte, o ReadOptions) (*Image, error) {
	r, err := NewReader(data, o)
	if err != nil {
		return nil, err
	}
	return r.only()
}
