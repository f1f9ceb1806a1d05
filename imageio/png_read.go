package imageio

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"slices"
)

// PNG colour types (W3C PNG specification, section 11.2.1), with the depths and the number of
// channels that each allows.
const (
	pngGray      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGrayAlpha = 4
	pngRGBA      = 6
)

var pngKinds = map[byte]struct {
	channels int
	bits     []byte
}{
	pngGray:      {1, []byte{1, 2, 4, 8, 16}},
	pngRGB:       {3, []byte{8, 16}},
	pngPalette:   {1, []byte{1, 2, 4, 8}},
	pngGrayAlpha: {2, []byte{8, 16}},
	pngRGBA:      {4, []byte{8, 16}},
}

// pngHeader is what the chunks around the pixels say.
type pngHeader struct {
	width, height int64
	bits, colour  byte
	packed        int64 // bytes of compressed pixels
	trns          bool
	turn          orientation
	palette       []byte
	chunks        []pngChunk // to be copied
}

// headPNG reads the chunks and refuses the file if they do not fit.
func headPNG(data []byte, o ReadOptions) (*pngHeader, error) {
	h, err := parseIHDR(data)
	if err != nil {
		return nil, err
	}
	if err := o.gate(PNG, h.width, h.height); err != nil {
		return nil, err
	}
	if err := h.scan(data); err != nil {
		return nil, err
	}
	rowBits := h.width * int64(pngKinds[h.colour].channels) * int64(h.bits)
	return h, canFill(PNG, h.height*((rowBits+7)/8), h.packed, deflateRatio)
}

func sizePNG(data []byte, o ReadOptions) (w, h int64, err error) {
	head, err := headPNG(data, o)
	if err != nil {
		return 0, 0, err
	}
	return head.width, head.height, nil
}

func decodePNG(data []byte, o ReadOptions) (*Image, error) {
	h, err := headPNG(data, o)
	if err != nil {
		return nil, err
	}
	src, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, decoderError(PNG, err)
	}
	gray := h.colour == pngGray || h.colour == pngGrayAlpha
	alpha := h.colour == pngGrayAlpha || h.colour == pngRGBA || h.trns
	img := fromImage(src, gray, alpha, PNG)
	img.Meta = h.metadata()
	h.turn.apply(img)
	return img, nil
}

// parseIHDR reads the first chunk, which the specification fixes in place and length.
func parseIHDR(data []byte) (*pngHeader, error) {
	p := data[len(pngSignature):]
	if len(p) < 8+13 {
		return nil, truncated(PNG)
	}
	if string(p[:8]) != "\x00\x00\x00\x0dIHDR" {
		return nil, damagedf(PNG, "no header chunk")
	}
	h := &pngHeader{
		width:  int64(binary.BigEndian.Uint32(p[8:])),
		height: int64(binary.BigEndian.Uint32(p[12:])),
		bits:   p[16],
		colour: p[17],
		turn:   1,
	}
	if !slices.Contains(pngKinds[h.colour].bits, h.bits) {
		return nil, damagedf(PNG, "colour type %d with %d bits", h.colour, h.bits)
	}
	return h, nil
}

// scan walks the chunks up to IEND for what the stock decoder passes over. It trusts no checksum:
// the decoder verifies them all afterwards.
func (h *pngHeader) scan(data []byte) error {
	for p := data[len(pngSignature):]; ; {
		if len(p) < 12 {
			return truncated(PNG)
		}
		size, kind := uint64(binary.BigEndian.Uint32(p)), string(p[4:8])
		if size > uint64(len(p)-12) {
			return truncated(PNG)
		}
		body := p[8 : 8+size]
		p = p[12+size:]
		switch kind {
		case "acTL":
			return failf(ErrUnsupported, "animated PNG is not supported")
		case "IDAT":
			h.packed += int64(size)
		case "PLTE":
			h.palette = body
		case "tRNS":
			h.trns = true
		case "eXIf":
			h.turn = exifOrientation(body)
		case "IEND":
			return h.weigh()
		}
		if kind != "IDAT" && copiedChunk(kind) {
			h.chunks = append(h.chunks, pngChunk{kind, body, h.packed > 0})
		}
	}
}
