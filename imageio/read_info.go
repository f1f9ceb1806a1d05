package imageio

import (
	"errors"
	"io"
	"os"
)

// Info is what the headers of a file say.
type Info struct {
	Format        Format
	Width, Height int   // of the first page as stored, before the orientation is applied
	Channels      int   // of the first page: colour planes, and one for alpha
	Depth         Depth // of the first page
	Pages         int
	Samples       int64 // samples in the planes of the largest page; each takes 4 bytes of memory
	Scratch       int64 // about the bytes of memory that reading or writing the largest page takes besides its planes
}

// ReadInfo reads the headers of the file at path, and not its pixels. It has the limits and the kinds of error of Open,
// but Open may still refuse a file that ReadInfo accepts, because it looks at more of it.
func ReadInfo(path string, o ReadOptions) (Info, error) {
	f, size, err := openRegular(o.Root, path, o.maxBytes())
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	info, err := readInfo(f, size, o)
	return info, adviseByName(path, err)
}

func readInfo(f *os.File, size int64, o ReadOptions) (Info, error) {
	format, err := sniffFile(f, size)
	switch {
	case err != nil:
		return Info{}, err
	case format == TIFF:
		t, err := openPages(f, size, o)
		if err != nil {
			return Info{}, err
		}
		return t.info, nil
	}
	return headInfo(f, size, format, o)
}

// sniffFile returns the format of a file by its first bytes.
func sniffFile(f *os.File, size int64) (Format, error) {
	head, err := readHead(f, min(size, sniffBytes))
	if err != nil {
		return 0, err
	}
	return sniffWhole(head, f, size)
}

// sniffWhole is sniff for a file of which more may be read: the tags of a TIFF file tell whether it is a DNG file.
func sniffWhole(head []byte, file io.ReaderAt, size int64) (Format, error) {
	format, err := sniff(head)
	if err != nil || format != TIFF {
		return format, err
	}
	if t, err := openTIFF(file, size); err == nil && isDNG(t) {
		return DNG, nil
	}
	return TIFF, nil
}

// sniffBytes is how much of a file tells its format.
const sniffBytes = 512

// headBytes is how much of a file is read first. The headers of most PNG and JPEG files are shorter.
const headBytes = 32 << 10

// headInfo reads the beginning of a file that is no TIFF, as much of it as the headers take, and checks them.
func headInfo(f io.ReaderAt, size int64, format Format, o ReadOptions) (Info, error) {
	if format == DNG {
		return headDNG(f, size, o)
	}
	for n := int64(headBytes); ; n *= 8 {
		head, err := readHead(f, min(n, size))
		if err != nil {
			return Info{}, err
		}
		info, err := codecs[format].head(head, size, o)
		switch {
		case err == nil:
			return info, nil
		case err != errShort:
			return Info{}, err
		case n >= size:
			return Info{}, truncated(format)
		case n > maxMetadata:
			return Info{}, tooMuchMetadata()
		}
	}
}

// errShort means that the headers of a file do not end within the bytes that were read.
var errShort = errors.New("header too short")

// readHead reads the first n bytes of a file, or fewer if it has become shorter.
func readHead(f io.ReaderAt, n int64) ([]byte, error) {
	head := make([]byte, n)
	got, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return head[:got], nil
}
