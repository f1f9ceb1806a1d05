package imageio

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
)

func encodePNG(w io.Writer, img *Image) error {
	if img.Alpha != nil && len(img.Planes) == 1 {
		return encodeGrayAlpha(w, img)
	}
	src := img.toImage(img.Depth)
	if img.Alpha != nil {
		// The stock encoder leaves out alpha that is opaque everywhere, unless the image denies it.
		switch s := src.(type) {
		case *image.NRGBA:
			if s.Opaque() {
				src = keepAlpha{s}
			}
		case *image.NRGBA64:
			if s.Opaque() {
				src = keepAlpha{s}
			}
		}
	}
	return png.Encode(w, src)
}

// keepAlpha is an opaque image that is stored with its alpha.
type keepAlpha struct{ image.Image }

func (keepAlpha) Opaque() bool { return false }

// encodeGrayAlpha writes the one colour type that image/png reads but does not write.
func encodeGrayAlpha(w io.Writer, img *Image) error {
	header := binary.BigEndian.AppendUint32(nil, uint32(img.Width))
	header = binary.BigEndian.AppendUint32(header, uint32(img.Height))
	header = append(header, byte(img.Depth), pngGrayAlpha, 0, 0, 0)
	if _, err := io.WriteString(w, pngSignature); err != nil {
		return err
	}
	if err := writeChunk(w, "IHDR", header); err != nil {
		return err
	}
	idat := bufio.NewWriterSize(chunkWriter{w, "IDAT"}, 1<<15)
	z := zlib.NewWriter(idat)
	if err := writeGrayAlphaRows(z, img); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := idat.Flush(); err != nil {
		return err
	}
	return writeChunk(w, "IEND", nil)
}

// writeGrayAlphaRows writes every row with the "up" filter (PNG specification, section 9.2): simple,
// and of the five the one that needs nothing but the row above.
func writeGrayAlphaRows(w io.Writer, img *Image) error {
	const filterUp = 2
	row := make([]byte, img.Width*2*int(img.Depth)/8)
	above := make([]byte, len(row))
	line := make([]byte, 1+len(row))
	line[0] = filterUp
	for y := range img.Height {
		putSamples(row, img.rowsAt(y, 1), binary.BigEndian, 1)
		for i := range row {
			line[1+i] = row[i] - above[i]
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		row, above = above, row
	}
	return nil
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
