package imageio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"slices"
)

// PNG colour types (W3C PNG specification, section 11.2.1).
const (
	pngGray      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGrayAlpha = 4
	pngRGBA      = 6
)

// pngKinds holds the number of channels in the file and the bits per sample that each colour type allows.
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

// pngHeader is what the chunks say, except for the pixels.
type pngHeader struct {
	width, height int64
	bits, colour  byte
	interlaced    bool
	packed        int64 // bytes of compressed pixels
	items         int   // chunks without pixels
	trns          bool
	transparent   []byte // the body of that chunk
	turn          orientation
	palette       []byte
	chunks        []pngChunk // to be copied
	sound         [][]byte   // the file without side chunks whose checksum is wrong
	wrong         []string   // the names of those
}

// headPNG reads the chunks before the pixels.
func headPNG(data []byte, size int64, o ReadOptions) (Info, error) {
	h, err := newPNGHeader(data, o)
	if err != nil {
		return Info{}, err
	}
	complete, err := h.scan(data, true)
	switch {
	case err != nil:
		return Info{}, err
	case !complete:
		return Info{}, errShort
	case o.KeepDamaged: // the rest may be missing
		return h.info(), nil
	}
	return h.info(), h.checkFill(size)
}

// allPNG reads all chunks.
func allPNG(data []byte, _ int64, o ReadOptions) (Info, error) {
	h, err := readPNG(data, o)
	if err != nil {
		return Info{}, err
	}
	return h.info(), nil
}

// readPNG reads all chunks. It refuses the file if they are not as the specification says. Of a damaged file that is
// kept, the end may be missing.
func readPNG(data []byte, o ReadOptions) (*pngHeader, error) {
	h, err := newPNGHeader(data, o)
	if err != nil {
		return nil, err
	}
	complete, err := h.scan(data, false)
	if err != nil {
		return nil, err
	}
	if !complete && (h.packed == 0 || !o.KeepDamaged) {
		return nil, h.damage(truncated(PNG))
	}
	if err := h.checkMetadata(); err != nil {
		return nil, err
	}
	if o.KeepDamaged { // the rest may be missing
		return h, nil
	}
	return h, h.checkFill(h.packed)
}

// damage turns the error of a damaged file into an ErrPartial if it has pixels.
func (h *pngHeader) damage(err error) error {
	if h.packed > 0 {
		return salvageable(err)
	}
	return err
}

// newPNGHeader reads the first chunk, whose place and length are fixed, and checks the size of the picture.
func newPNGHeader(data []byte, o ReadOptions) (*pngHeader, error) {
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

		interlaced: p[20] != 0,
	}
	if !slices.Contains(pngKinds[h.colour].bits, h.bits) {
		return nil, damagedf(PNG, "colour type %d with %d bits", h.colour, h.bits)
	}
	return h, o.checkSize(PNG, h.width, h.height)
}

// scan reads the chunks up to IEND, or with headOnly up to the first pixels. It reports whether it got there before the
// end of data. It leaves out side chunks with a wrong checksum, as libpng does. The decoder verifies the others
// afterwards.
func (h *pngHeader) scan(data []byte, headOnly bool) (complete bool, err error) {
	rest := data // what begins behind the last chunk that was left out
	defer func() { h.sound = append(h.sound, rest) }()
	for p := data[len(pngSignature):]; ; {
		if len(p) < 8 {
			return false, nil
		}
		size, kind := uint64(binary.BigEndian.Uint32(p)), string(p[4:8])
		if kind == "IDAT" && headOnly {
			return true, nil
		}
		if size+12 > uint64(len(p)) {
			if kind == "IDAT" {
				h.packed += int64(len(p)) - 8
			}
			return false, nil
		}
		chunk, body := p[:12+size], p[8:8+size]
		p = p[12+size:]
		if kind != "IDAT" {
			if h.items++; h.items > maxItems {
				return false, tooManyItems(PNG)
			}
		}
		if sideChunk(kind) && !soundChunk(chunk) {
			h.sound, rest = append(h.sound, rest[:len(rest)-len(p)-len(chunk)]), p
			h.wrong = append(h.wrong, kind)
			continue
		}
		switch kind {
		case "acTL":
			return false, failf(ErrUnsupported, "animated PNG is not supported")
		case "IDAT":
			h.packed += int64(size)
		case "PLTE":
			h.palette = body
		case "tRNS":
			h.trns, h.transparent = true, body
		case "eXIf":
			h.turn = exifOrientation(body)
		case "IEND":
			return true, nil
		}
		if kind != "IDAT" && copiedChunk(kind) {
			h.chunks = append(h.chunks, pngChunk{kind, body, h.packed > 0})
		}
	}
}

// sideChunk reports whether a picture can be shown without a chunk. Transparency is a part of the picture, and so is
// that there are several.
func sideChunk(kind string) bool { return kind[0]&0x20 != 0 && kind != "tRNS" && kind != "acTL" }

// soundChunk verifies the checksum of a whole chunk.
func soundChunk(chunk []byte) bool {
	end := len(chunk) - 4
	return crc32.ChecksumIEEE(chunk[4:end]) == binary.BigEndian.Uint32(chunk[end:])
}

// warnings tells which side chunks were left out.
func (h *pngHeader) warnings() (list []string) {
	const most = 4
	for _, kind := range h.wrong {
		w := fmt.Sprintf("the chunk %q has a wrong checksum and is left out", kind)
		if len(list) < most && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

// decode decodes the pixels.
func (h *pngHeader) decode(ctx context.Context) (image.Image, error) {
	var parts []io.Reader
	for _, p := range h.sound {
		parts = append(parts, bytes.NewReader(p))
	}
	img, err := png.Decode(endedReader{io.MultiReader(parts...), ctx})
	if err := ended(ctx); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, pngError(err)
	}
	return img, nil
}

// checkFill refuses a file whose compressed pixels cannot be as many as its header says.
func (h *pngHeader) checkFill(packed int64) error {
	rowBits := h.width * int64(pngKinds[h.colour].channels) * int64(h.bits)
	return checkFill(PNG, h.height*((rowBits+7)/8), packed, deflateRatio)
}

func (h *pngHeader) gray() bool { return h.colour == pngGray || h.colour == pngGrayAlpha }

func (h *pngHeader) alpha() bool {
	return h.colour == pngGrayAlpha || h.colour == pngRGBA || h.trns
}

// depth returns the depth of the image. Palettes and 2 or 4 bits of gray become 8 bits, because denoised pixels do not
// fit. Gray of 1 bit has no noise to remove.
func (h *pngHeader) depth() Depth {
	if h.bits == 1 && h.colour == pngGray && !h.trns {
		return 1
	}
	return Depth(max(h.bits, 8))
}

func (h *pngHeader) info() Info {
	i := Info{Format: PNG, Width: int(h.width), Height: int(h.height), Channels: 3, Depth: h.depth(), Pages: 1}
	stored := int64(4) // the decoder stores colours with alpha
	if h.colour == pngPalette || h.gray() && !h.alpha() {
		stored = 1
	}
	if h.gray() {
		i.Channels = 1
	}
	if h.alpha() {
		i.Channels++
	}
	i.Samples = h.width * h.height * int64(i.Channels)
	i.Scratch = h.width * h.height * stored * int64(max(i.Depth, Depth8)) / 8
	if h.interlaced {
		i.Scratch *= 2
	}
	return i
}

func decodePNG(data []byte, o ReadOptions) (*Image, error) {
	h, err := readPNG(data, o)
	if err != nil {
		return nil, err
	}
	src, err := h.decode(o.Context)
	var rest *pngRest
	why := err
	switch {
	case err != nil && (o.KeepDamaged && errors.Is(err, ErrFormat) || h.isWhole(data, err)):
		if src, rest, err = h.keep(data, err); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, h.damage(err)
	}
	img, err := fromImage(o.Context, src, h.gray(), h.alpha(), PNG)
	if err != nil {
		return nil, err
	}
	img.Depth = h.depth()
	img.Meta = h.metadata(h.turn.change(img))
	img.Warnings = h.warnings()
	if _, err := img.Meta.ICC(); err != nil {
		img.Warnings = append(img.Warnings, "the colour profile is damaged")
	}
	if rest != nil {
		img.MissingBottom = img.Height - rest.rows
		img.Warnings = append(img.Warnings, rest.warning(why))
	}
	h.turn.apply(img)
	return img, nil
}
