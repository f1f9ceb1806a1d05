package imageio

import "encoding/binary"

// codec reads a format that has one page.
type codec struct {
	// head reads the headers. data is the whole file or its beginning; size is the size of the file. It returns
	// errShort if it needs more of the file.
	head func(data []byte, size int64, o ReadOptions) (Info, error)
	// all is head for a whole file, of which it may look at more than the headers.
	all func(data []byte, size int64, o ReadOptions) (Info, error)
	// decode decodes a whole file that all has accepted.
	decode func(data []byte, o ReadOptions) (*Image, error)
}

// codecs holds all formats but TIFF. The headers of DNG files may be anywhere, so that only headDNG reads them alone.
var codecs = map[Format]codec{
	PNG:  {headPNG, allPNG, decodePNG},
	JPEG: {headJPEG, headJPEG, decodeJPEG},
	WebP: {headWebP, headWebP, decodeWebP},
	BMP:  {headBMP, headBMP, decodeBMP},
	PNM:  {headPNM, headPNM, decodePNM},
	DNG:  {allDNG, allDNG, decodeDNG},
}

// written returns the format that an image of this format is written in.
func (f Format) written(d Depth) Format {
	switch {
	case f <= TIFF, f == DNG:
		return f
	case d.isFloat():
		return TIFF
	}
	return PNG
}

// otherMetadata returns metadata for the upright picture, or nil if there is none.
func otherMetadata(s shared, c change) *Metadata {
	if s.icc == nil && s.exif == nil && s.xmp == nil && !s.density.known() {
		return nil
	}
	return &Metadata{other: s.changed(c)}
}

// otherInfo describes a picture of a few samples for each pixel.
func otherInfo(f Format, w, h int64, channels int, d Depth) Info {
	n := w * h * int64(channels)
	return Info{Format: f, Width: int(w), Height: int(h), Channels: channels, Depth: d, Pages: 1, Samples: n,
		Scratch: n}
}

var le32 = binary.LittleEndian.Uint32
