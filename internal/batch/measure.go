package batch

import (
	"bufio"
	"encoding/binary"
	"io"
	"math/bits"
	"os"
)

// Size is what the header of an image file says, in pixels and bytes. It is for planning only.
type Size struct {
	Width, Height int64
	Bytes         int64 // of the file
}

// Pixels returns the number of pixels, or 0 if it is not known.
func (s Size) Pixels() int64 {
	if s.Width <= 0 || s.Height <= 0 || s.Width > maxSide || s.Height > maxSide {
		return 0
	}
	return s.Width * s.Height
}

// maxSide keeps products within 64 bits.
const maxSide = 1 << 31

// Memory estimates the bytes of memory that it takes to read, denoise and write the file: its bytes, 8 bytes a pixel for the
// decoder, four planes of float32, the bytes of the output, and the windows of a model for each pixel of a tile. If the number
// of pixels is not known, the file counts as if it were not compressed.
func (s Size) Memory() int64 {
	pixels := s.Pixels()
	if pixels == 0 {
		pixels = s.Bytes
	}
	const tile, fixed = 2600 * 2600, 4 << 20
	return fixed + 2*s.Bytes + 24*pixels + 16*min(pixels, tile)
}

// class is equal for sizes that are about the same.
func (s Size) class() int { return bits.Len64(uint64(s.Memory())) }

// Measure reads the size out of the header of a regular file.
func Measure(it Item) Size {
	if it.Info == nil || !it.Info.Mode().IsRegular() {
		return Size{}
	}
	s := Size{Bytes: it.Info.Size()}
	f, err := os.Open(it.Path)
	if err != nil {
		return s
	}
	defer f.Close()
	s.Width, s.Height = header(f)
	return s
}

// header returns 0 x 0 for what it does not understand.
func header(r io.ReadSeeker) (width, height int64) {
	var head [24]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, 0
	}
	switch {
	case string(head[:8]) == "\x89PNG\r\n\x1a\n":
		return int64(binary.BigEndian.Uint32(head[16:])), int64(binary.BigEndian.Uint32(head[20:]))
	case string(head[:3]) == "\xff\xd8\xff":
		return jpegHeader(r)
	case string(head[:4]) == "II*\x00":
		return tiffHeader(r, binary.LittleEndian, int64(binary.LittleEndian.Uint32(head[4:])))
	case string(head[:4]) == "MM\x00*":
		return tiffHeader(r, binary.BigEndian, int64(binary.BigEndian.Uint32(head[4:])))
	}
	return 0, 0
}

// jpegHeader walks over the segments (T.81, annex B) up to the frame header. It gives up at anything that is no segment, and
// after 16 MB, since a damaged file may go on for gigabytes.
func jpegHeader(r io.ReadSeeker) (width, height int64) {
	if _, err := r.Seek(2, io.SeekStart); err != nil {
		return 0, 0
	}
	const most = 16 << 20
	b := bufio.NewReader(io.LimitReader(r, most))
	for {
		var s [4]byte // marker and length
		if _, err := io.ReadFull(b, s[:2]); err != nil || s[0] != 0xff {
			return 0, 0
		}
		for s[1] == 0xff { // filling
			s[1], _ = b.ReadByte()
		}
		if _, err := io.ReadFull(b, s[2:]); err != nil {
			return 0, 0
		}
		switch m := s[1]; {
		case m >= 0xc0 && m <= 0xcf && m != 0xc4 && m != 0xc8 && m != 0xcc:
			var frame [5]byte // precision, height, width
			if _, err := io.ReadFull(b, frame[:]); err != nil {
				return 0, 0
			}
			return int64(binary.BigEndian.Uint16(frame[3:])), int64(binary.BigEndian.Uint16(frame[1:]))
		case m < 0xc0 || m >= 0xd0 && m <= 0xda: // has no length, or the headers are over
			return 0, 0
		}
		if _, err := b.Discard(int(binary.BigEndian.Uint16(s[2:])) - 2); err != nil {
			return 0, 0
		}
	}
}

// Tags and types of TIFF 6.0 (Adobe, 1992), section 2 and appendix A.
const (
	tagWidth, tagLength = 256, 257
	typeShort, typeLong = 3, 4
)

// tiffHeader looks through the first directory. Its tags are in order, so both come early.
func tiffHeader(r io.ReadSeeker, order binary.ByteOrder, at int64) (width, height int64) {
	if _, err := r.Seek(at, io.SeekStart); err != nil {
		return 0, 0
	}
	b := bufio.NewReader(r)
	var entry [12]byte
	if _, err := io.ReadFull(b, entry[:2]); err != nil {
		return 0, 0
	}
	for range order.Uint16(entry[:2]) {
		if _, err := io.ReadFull(b, entry[:]); err != nil {
			break
		}
		var v int64
		switch order.Uint16(entry[2:]) {
		case typeShort:
			v = int64(order.Uint16(entry[8:]))
		case typeLong:
			v = int64(order.Uint32(entry[8:]))
		}
		switch order.Uint16(entry[:]) {
		case tagWidth:
			width = v
		case tagLength:
			return width, v
		}
	}
	return 0, 0
}
