package imageio

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// encodePNG writes gray or RGB, with or without alpha, with 8 or 16 bits: denoised pixels fit no palette and
// no fewer bits. The chunks of the metadata stand before or behind the pixels as they did.
func encodePNG(w io.Writer, img *Image, strip bool) error {
	colour := pngColour(img)
	chunks, err := img.Meta.pngChunks(colour, strip)
	if err != nil {
		return err
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(img.Width))
	header = binary.BigEndian.AppendUint32(header, uint32(img.Height))
	header = append(header, byte(img.Depth), colour, 0, 0, 0)
	if _, err := io.WriteString(w, pngSignature); err != nil {
		return err
	}
	if err := writeChunk(w, "IHDR", header); err != nil {
		return err
	}
	if err := writeChunks(w, chunks, false); err != nil {
		return err
	}
	if err := writePixels(w, img); err != nil {
		return err
	}
	if err := writeChunks(w, chunks, true); err != nil {
		return err
	}
	return writeChunk(w, "IEND", nil)
}

func pngColour(img *Image) byte {
	switch {
	case len(img.Planes) == 3 && img.Alpha != nil:
		return pngRGBA
	case len(img.Planes) == 3:
		return pngRGB
	case img.Alpha != nil:
		return pngGrayAlpha
	}
	return pngGray
}

func writeChunks(w io.Writer, chunks []pngChunk, after bool) error {
	for _, c := range chunks {
		if c.after == after {
			if err := writeChunk(w, c.kind, c.body); err != nil {
				return err
			}
		}
	}
	return nil
}

func writePixels(w io.Writer, img *Image) error {
	idat := bufio.NewWriterSize(chunkWriter{w, "IDAT"}, 1<<16)
	z := zlib.NewWriter(idat)
	f := newFilters(rowSize(img), len(img.channels())*int(img.Depth)/8)
	for y := range img.Height {
		putSamples(f.row, img.rowsAt(y, 1), binary.BigEndian, 1)
		if _, err := z.Write(f.best()); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return idat.Flush()
}

// filters are the five of the PNG specification, section 9.2, tried on every row.
type filters struct {
	pixel      int // bytes
	row, above []byte
	lines      [5][]byte // of the row: the number of the filter, then its bytes
}

func newFilters(row, pixel int) *filters {
	f := &filters{pixel: pixel, row: make([]byte, row), above: make([]byte, row)}
	for i := range f.lines {
		f.lines[i] = make([]byte, 1+row)
		f.lines[i][0] = byte(i)
	}
	return f
}

// best gives the row by the filter whose bytes are smallest in sum, taken as signed numbers, which is the
// choice that the specification advises. The row then is the one above.
func (f *filters) best() []byte {
	none, left, up, mean, paeth := f.lines[0][1:], f.lines[1][1:], f.lines[2][1:], f.lines[3][1:], f.lines[4][1:]
	var sums [5]int
	copy(none, f.row)
	for i, v := range f.row {
		var a, c byte // left, and above left
		if i >= f.pixel {
			a, c = f.row[i-f.pixel], f.above[i-f.pixel]
		}
		b := f.above[i]
		left[i], up[i] = v-a, v-b
		mean[i], paeth[i] = v-byte((int(a)+int(b))/2), v-paethOf(a, b, c)
		sums[0] += size8(v)
		sums[1] += size8(left[i])
		sums[2] += size8(up[i])
		sums[3] += size8(mean[i])
		sums[4] += size8(paeth[i])
	}
	best := 0
	for i, s := range sums {
		if s < sums[best] {
			best = i
		}
	}
	f.row, f.above = f.above, f.row
	return f.lines[best]
}

func size8(v byte) int { return max(int(int8(v)), -int(int8(v))) }

// paethOf is whichever of the three neighbours is nearest to a + b - c.
func paethOf(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	pa, pb, pc := max(p-int(a), int(a)-p), max(p-int(b), int(b)-p), max(p-int(c), int(c)-p)
	if pa <= pb && pa <= pc {
		return a
	}
	if pb <= pc {
		return b
	}
	return c
}

// chunkWriter makes a chunk of every write.
type chunkWriter struct {
	w    io.Writer
	kind string
}

func (c chunkWriter) Write(p []byte) (int, error) {
	if err := writeChunk(c.w, c.kind, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func writeChunk(w io.Writer, kind string, body []byte) error {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(append(chunk, kind...), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	_, err := w.Write(chunk)
	return err
}
