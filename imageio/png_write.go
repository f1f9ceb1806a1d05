package imageio

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
)

// widened turns 16-bit numbers with samples of 8 bits into samples of 16 bits, as a new slice.
func widened(body []byte) []byte {
	wide := slices.Clone(body)
	for i := 0; i+1 < len(wide); i += 2 {
		wide[i] = wide[i+1]
	}
	return wide
}

// encodePNG writes gray or RGB, with or without alpha, with 8 or 16 bits, or gray with 1 bit. Each chunk of metadata
// goes before or after the pixels, as in the source.
func encodePNG(w io.Writer, img *Image, o WriteOptions) error {
	img = img.simple()
	colour := pngColour(img)
	chunks := img.Meta.pngChunks(colour, o.Strip)
	header := binary.BigEndian.AppendUint32(nil, uint32(img.Width))
	header = binary.BigEndian.AppendUint32(header, uint32(img.Height))
	header = append(header, byte(img.Depth), colour, 0, 0, 0)
	for i, c := range chunks {
		if c.kind == "bKGD" && img.Depth == 1 && len(c.body) == 2 {
			chunks[i].body = []byte{c.body[0], c.body[1] & 1} // the colour has been widened to 8 bits
		}
		if c.kind == "bKGD" && img.Depth == 16 && img.Meta.png != nil && !img.Meta.png.deep {
			chunks[i].body = widened(c.body)
		}
	}
	if _, err := io.WriteString(w, pngSignature); err != nil {
		return err
	}
	if err := writeChunk(w, "IHDR", header); err != nil {
		return err
	}
	if err := writeChunks(w, chunks, beforePixels); err != nil {
		return err
	}
	if err := writePixels(w, img, o); err != nil {
		return err
	}
	if err := writeChunks(w, chunks, afterPixels); err != nil {
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

// Places of chunks, as pngChunk.after has them.
const (
	beforePixels = false
	afterPixels  = true
)

// writeChunks writes the chunks of one place.
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

func writeChunk(w io.Writer, kind string, body []byte) error {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(append(chunk, kind...), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	_, err := w.Write(chunk)
	return err
}
