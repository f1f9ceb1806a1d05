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
		if len(head) >= 10 && string(head[8:10]) == "CR" {
			return 0, unknownFile(head)
		}
		return TIFF, nil
	case starts("RIFF") && len(head) >= 12 && string(head[8:12]) == "WEBP":
		return WebP, nil
	case starts("BM") && len(head) >= 18 && le32(head[14:]) < 1<<16:
		return BMP, nil
	case len(head) >= 3 && head[0] == 'P' && bytes.IndexByte([]byte("1234567Ff"), head[1]) >= 0 &&
		bytes.IndexByte([]byte(" \t\r\n#"), head[2]) >= 0:
		return PNM, nil
	}
	return 0, unknownFile(head)
}

// Decode decodes the bytes of a file. The content decides the format. A file of several pages is refused with
// ErrUnsupported; use NewReader for those.
//
// The error is of kind ErrFormat, ErrUnsupported or ErrLimit, or ErrArgument if o.White is no level. A NaN or Inf in a
// float TIFF is an ErrInvalid that names the column and row of the first bad pixel as stored, counted from 0.
func Decode(data []byte, o ReadOptions) (*Image, error) {
	r, err := NewReader(data, o)
	if err != nil {
		return nil, err
	}
	return r.only()
}
