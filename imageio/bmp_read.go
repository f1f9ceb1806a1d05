package imageio

import (
	"encoding/binary"
	"math/bits"
)

// bmpHeader is the headers of a Windows bitmap: BITMAPCOREHEADER, BITMAPINFOHEADER and its later versions (Microsoft,
// "Bitmap Structures").
type bmpHeader struct {
	width, height int64
	topDown       bool
	bits          int
	compression   uint32
	pixels        int64 // offset of the pixels
	palette       [][3]byte
	masks         [4]uint32 // of red, green, blue and alpha, for 16 and 32 bits
	density       density
}

// Compressions of bitmaps.
const (
	bmpRGB       = 0
	bmpRLE8      = 1
	bmpRLE4      = 2
	bmpBitfields = 3
	bmpAlpha     = 6
)

const bmpFileHeader = 14

// readBMP reads the headers.
func readBMP(data []byte, o ReadOptions) (*bmpHeader, error) {
	le := binary.LittleEndian
	size := int64(le32(data[bmpFileHeader:])) // which sniff has seen
	if size != 12 && size < 40 || size > 1<<10 {
		return nil, failf(ErrUnsupported, "BMP with a header of %d bytes is not supported", size)
	}
	if int64(len(data)) < bmpFileHeader+size {
		return nil, errShort
	}
	p := data[bmpFileHeader:]
	h := &bmpHeader{pixels: int64(le32(data[10:]))}
	colours, entry := int64(0), int64(4)
	if size == 12 {
		h.width, h.height, h.bits, entry = int64(le.Uint16(p[4:])), int64(le.Uint16(p[6:])), int(le.Uint16(p[10:])), 3
	} else {
		h.width, h.height = int64(int32(le32(p[4:]))), int64(int32(le32(p[8:])))
		h.bits, h.compression, colours = int(le.Uint16(p[14:])), le32(p[16:]), int64(le32(p[32:]))
		if x, y := le32(p[24:]), le32(p[28:]); x > 0 && y > 0 && x < 1<<30 && y < 1<<30 {
			h.density = density{float64(x) / 100, float64(y) / 100, perCentimetre}
		}
	}
	if h.height < 0 {
		h.height, h.topDown = -h.height, true
	}
	if err := o.checkSize(BMP, h.width, h.height); err != nil {
		return nil, err
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	at := bmpFileHeader + size
	if h.bits >= 16 && h.compression != bmpRGB {
		n := int64(3)
		if h.compression == bmpAlpha || size >= 56 {
			n = 4
		}
		if int64(len(data)) < bmpFileHeader+40+4*n {
			return nil, errShort
		}
		for i := range n {
			h.masks[i] = le32(p[40+4*i:])
		}
		if size == 40 {
			at += 4 * n
		}
	}
	return h, h.readPalette(data, at, colours, entry)
}

// check refuses what is not supported, and sets the masks of pixels that have none in the file.
func (h *bmpHeader) check() error {
	switch {
	case h.compression == 4 || h.compression == 5:
		return failf(ErrUnsupported, "BMP with a JPEG or PNG file inside is not supported")
	case h.compression == bmpRLE8 && h.bits == 8, h.compression == bmpRLE4 && h.bits == 4:
		if h.topDown {
			return damagedf(BMP, "run lengths from the top down")
		}
	case (h.compression == bmpBitfields || h.compression == bmpAlpha) && (h.bits == 16 || h.bits == 32):
	case h.compression != bmpRGB:
		return damagedf(BMP, "compression %d of %d bits", h.compression, h.bits)
	case h.bits == 16:
		h.masks = [4]uint32{0x7c00, 0x3e0, 0x1f}
	case h.bits == 32:
		h.masks = [4]uint32{0xff0000, 0xff00, 0xff}
	case h.bits != 1 && h.bits != 2 && h.bits != 4 && h.bits != 8 && h.bits != 24:
		return failf(ErrUnsupported, "BMP of %d bits is not supported", h.bits)
	}
	return nil
}

// readPalette reads the colours of up to 8 bits. at is where they begin.
func (h *bmpHeader) readPalette(data []byte, at, colours, entry int64) error {
	if h.bits > 8 {
		return nil
	}
	if colours <= 0 || colours > 1<<h.bits {
		colours = 1 << h.bits
	}
	if h.pixels > at { // some files have fewer than they say
		colours = min(colours, (h.pixels-at)/entry)
	}
	if int64(len(data)) < at+colours*entry {
		return errShort
	}
	for i := range colours {
		c := data[at+i*entry:]
		h.palette = append(h.palette, [3]byte{c[2], c[1], c[0]})
	}
	return nil
}

// gray reports whether all colours of the palette are gray.
func (h *bmpHeader) gray() bool {
	for _, c := range h.palette {
		if c[0] != c[1] || c[0] != c[2] {
			return false
		}
	}
	return h.bits <= 8 && len(h.palette) > 0
}

func (h *bmpHeader) channels() int {
	switch {
	case h.gray():
		return 1
	case h.masks[3] != 0:
		return 4
	}
	return 3
}

// depth returns 1 bit for black and white.
func (h *bmpHeader) depth() Depth {
	if h.bits == 1 && h.gray() && len(h.palette) == 2 && h.palette[0][0]^h.palette[1][0] == 0xff &&
		(h.palette[0][0] == 0 || h.palette[1][0] == 0) {
		return 1
	}
	return Depth8
}

// rowBytes returns the bytes of an uncompressed row.
func (h *bmpHeader) rowBytes() int64 { return (h.width*int64(h.bits) + 31) / 32 * 4 }

func (h *bmpHeader) packed() bool { return h.compression == bmpRLE8 || h.compression == bmpRLE4 }

func headBMP(data []byte, size int64, o ReadOptions) (Info, error) {
	h, err := readBMP(data, o)
	if err != nil {
		return Info{}, err
	}
	have := max(size-h.pixels, 0)
	switch {
	case h.packed(): // a code of two bytes for at most 255 pixels; skipped ones are not counted
		err = checkFill(BMP, h.width*h.height, have, bmpRatio)
	case h.rowBytes()*h.height > have:
		err = truncated(BMP)
	}
	return otherInfo(BMP, h.width, h.height, h.channels(), h.depth()), err
}

func decodeBMP(data []byte, o ReadOptions) (*Image, error) {
	h, err := readBMP(data, o)
	if err != nil {
		return nil, err
	}
	if h.pixels > int64(len(data)) {
		return nil, truncated(BMP)
	}
	img := newImage(int(h.width), int(h.height), min(3, h.channels()), h.masks[3] != 0, h.depth(), BMP)
	img.Meta = otherMetadata(shared{density: h.density}, change{})
	p := data[h.pixels:]
	if h.packed() {
		index, err := h.unpack(p)
		if err != nil {
			return nil, err
		}
		for y := range img.Height {
			row := index[y*img.Width:][:img.Width]
			if err := h.putColours(img, y, func(x int) int { return int(row[x]) }); err != nil {
				return nil, err
			}
		}
		return img, nil
	}
	size := int(h.rowBytes())
	for i := range img.Height {
		if err := ended(o.Context); err != nil {
			return nil, err
		}
		y := img.Height - 1 - i
		if h.topDown {
			y = i
		}
		if err := h.row(img, y, p[i*size:][:size]); err != nil {
			return nil, err
		}
	}
	if img.Alpha != nil && h.noAlpha(img) {
		img.Alpha = nil
	}
	return img, nil
}

// noAlpha reports whether all pixels are transparent, which means that nobody has filled in alpha.
func (h *bmpHeader) noAlpha(img *Image) bool {
	for _, a := range img.Alpha {
		if a != 0 {
			return false
		}
	}
	return true
}

// row stores row y of the picture.
func (h *bmpHeader) row(img *Image, y int, p []byte) error {
	at := y * img.Width
	switch h.bits {
	case 24:
		for x := range img.Width {
			for c := range 3 {
				img.Planes[c][at+x] = unitOf[p[3*x+2-c]]
			}
		}
	case 16, 32:
		for x := range img.Width {
			v := uint32(binary.LittleEndian.Uint16(p[x*h.bits/8:]))
			if h.bits == 32 {
				v = le32(p[4*x:])
			}
			for c, plane := range img.channels() {
				plane[at+x] = masked(v, h.masks[c])
			}
		}
	default:
		perByte, mask := 8/h.bits, 1<<h.bits-1
		return h.putColours(img, y, func(x int) int {
			return int(p[x/perByte]) >> (8 - h.bits*(x%perByte+1)) & mask
		})
	}
	return nil
}

// masked returns a sample of some bits of a pixel, rounded to 8 bits.
func masked(v, mask uint32) float32 {
	if mask == 0 {
		return 0
	}
	shift := bits.TrailingZeros32(mask)
	top := mask >> shift
	return unitOf[(uint64(v&mask>>shift)*255+uint64(top/2))/uint64(top)]
}

// putColours looks up row y in the palette.
func (h *bmpHeader) putColours(img *Image, y int, index func(x int) int) error {
	at := y * img.Width
	for x := range img.Width {
		i := index(x)
		if i >= len(h.palette) {
			return damagedf(BMP, "colour %d of a palette of %d", i, len(h.palette))
		}
		for c, plane := range img.Planes {
			plane[at+x] = unitOf[h.palette[i][c]]
		}
	}
	return nil
}

// unpack expands run lengths to the indices of all pixels from the top down. Pixels that are skipped are 0.
func (h *bmpHeader) unpack(p []byte) ([]byte, error) {
	out := make([]byte, h.width*h.height)
	w, x, y := int(h.width), 0, int(h.height)-1
	put := func(v byte) {
		if x < w && y >= 0 {
			out[y*w+x] = v
		}
		x++
	}
	each := 1 // pixels of a byte
	if h.compression == bmpRLE4 {
		each = 2
	}
	value := func(v byte, i int) byte {
		switch {
		case each == 1:
			return v
		case i&1 == 0:
			return v >> 4
		}
		return v & 15
	}
	for len(p) >= 2 {
		n, v := int(p[0]), p[1]
		p = p[2:]
		switch {
		case n > 0:
			for i := range n {
				put(value(v, i))
			}
		case v == 0: // end of the row
			x, y = 0, y-1
		case v == 1: // end of the picture
			return out, nil
		case v == 2: // a step
			if len(p) < 2 {
				return nil, truncated(BMP)
			}
			x, y, p = x+int(p[0]), y-int(p[1]), p[2:]
		default:
			size := (int(v) + each - 1) / each
			if len(p) < size+size&1 {
				return nil, truncated(BMP)
			}
			for i := range int(v) {
				put(value(p[i/each], i))
			}
			p = p[size+size&1:]
		}
		if y < 0 {
			return out, nil
		}
		if x > w+1<<16 {
			return nil, damagedf(BMP, "a row that does not end")
		}
	}
	return nil, truncated(BMP)
}
