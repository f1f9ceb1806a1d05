package imageio

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// pnmHeader is the header of a file of Netpbm (its manual, pages pbm, pgm, ppm, pam and pfm).
type pnmHeader struct {
	kind          byte // '1' to '7', 'F' for float colour, 'f' for float gray
	width, height int64
	channels      int
	top           int // the largest sample
	alpha         bool
	order         binary.ByteOrder // of floats
	pixels        int              // offset of the pixels
}

// readPNM reads the header.
func readPNM(data []byte, o ReadOptions) (*pnmHeader, error) {
	h := &pnmHeader{kind: data[1], channels: 1, top: 1}
	s := pnmScanner{p: data, at: 2}
	var err error
	switch h.kind {
	case '7':
		err = h.readPAM(&s)
	case 'F', 'f':
		err = h.readPFM(&s)
	default:
		h.width, h.height = s.number(), s.number()
		if h.kind != '1' && h.kind != '4' {
			h.top = int(s.number())
		}
		if h.kind == '3' || h.kind == '6' {
			h.channels = 3
		}
	}
	if h.pixels = s.at + 1; h.kind == '7' { // a single space follows the header, and a line the one of PAM
		h.pixels = s.at
	}
	switch {
	case s.short || h.pixels > len(data):
		if len(data) > maxPNMHeader {
			return nil, damagedf(PNM, "a header of more than %d bytes", maxPNMHeader)
		}
		return nil, errShort
	case err != nil:
		return nil, err
	case s.bad:
		return nil, damagedf(PNM, "bad header")
	case h.top < 1 || h.top > math.MaxUint16:
		return nil, damagedf(PNM, "samples up to %d", h.top)
	}
	return h, o.checkSize(PNM, h.width, h.height)
}

// maxPNMHeader is longer than any header with its comments.
const maxPNMHeader = 1 << 16

// readPAM reads the lines of a PAM header.
func (h *pnmHeader) readPAM(s *pnmScanner) error {
	s.line()
	kind := ""
	for {
		words := bytes.Fields(s.line())
		if s.short {
			return nil
		}
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		name := string(words[0])
		if name == "ENDHDR" {
			break
		}
		if len(words) < 2 {
			s.bad = true
			return nil
		}
		n, _ := strconv.ParseInt(string(words[1]), 10, 32)
		switch name {
		case "WIDTH":
			h.width = n
		case "HEIGHT":
			h.height = n
		case "DEPTH":
			h.channels = int(n)
		case "MAXVAL":
			h.top = int(n)
		case "TUPLTYPE":
			kind = string(words[1])
		}
	}
	h.alpha = h.channels == 2 || h.channels == 4
	if h.channels < 1 || h.channels > 4 || kind == "CMYK" { // as Ghostscript writes it
		return failf(ErrUnsupported, "PAM of %d samples (%s) is not supported", h.channels, kind)
	}
	return nil
}

// readPFM reads the header of floats. The sign of the scale is the byte order.
func (h *pnmHeader) readPFM(s *pnmScanner) error {
	if h.kind == 'F' {
		h.channels = 3
	}
	h.width, h.height = s.number(), s.number()
	scale, err := strconv.ParseFloat(string(s.word()), 64)
	if known := scale != 0 && !math.IsNaN(scale) && !math.IsInf(scale, 0); !s.short && (err != nil || !known) {
		s.bad = true
	}
	h.order = binary.BigEndian
	if scale < 0 {
		h.order = binary.LittleEndian
	}
	return nil
}

// pnmScanner reads words of a header.
type pnmScanner struct {
	p          []byte
	at         int
	short, bad bool
}

// word returns the next word. Comments go from # to the end of a line.
func (s *pnmScanner) word() []byte {
	for s.at < len(s.p) && bytes.IndexByte([]byte(" \t\r\n\v\f"), s.p[s.at]) >= 0 || s.at < len(s.p) &&
		s.p[s.at] == '#' {
		if s.p[s.at] == '#' {
			s.line()
			continue
		}
		s.at++
	}
	from := s.at
	for s.at < len(s.p) && bytes.IndexByte([]byte(" \t\r\n\v\f#"), s.p[s.at]) < 0 {
		s.at++
	}
	s.short = s.short || s.at >= len(s.p)
	return s.p[from:s.at]
}

func (s *pnmScanner) number() int64 {
	n, err := strconv.ParseInt(string(s.word()), 10, 32)
	if err != nil || n < 0 {
		s.bad = true
	}
	return n
}

// line returns the rest of the line.
func (s *pnmScanner) line() []byte {
	from := s.at
	if i := bytes.IndexByte(s.p[from:], '\n'); i >= 0 {
		s.at = from + i + 1
		return s.p[from : from+i]
	}
	s.at, s.short = len(s.p), true
	return s.p[from:]
}

func (h *pnmHeader) isFloat() bool { return h.kind|0x20 == 'f' }

// depth returns the depth of the image. A largest sample that is not one less than a power of two is scaled to 8 or 16
// bits.
func (h *pnmHeader) depth() Depth {
	if h.isFloat() {
		return DepthFloat32
	}
	switch n := bits.Len(uint(h.top)); {
	case h.top == 1<<n-1 && (n >= 8 || n == 1 && !h.alpha):
		return Depth(n)
	case n <= 8:
		return Depth8
	}
	return Depth16
}

// rowBytes returns the bytes of a row of binary samples.
func (h *pnmHeader) rowBytes() int64 {
	n := h.width * int64(h.channels)
	switch {
	case h.kind == '4':
		return (h.width + 7) / 8
	case h.isFloat():
		return 4 * n
	case h.top > math.MaxUint8:
		return 2 * n
	}
	return n
}

func headPNM(data []byte, size int64, o ReadOptions) (Info, error) {
	h, err := readPNM(data, o)
	if err != nil {
		return Info{}, err
	}
	need := h.rowBytes() * h.height
	switch h.kind {
	case '1': // digits need no spaces between them
		need = h.width * h.height
	case '2', '3':
		need = 2*h.width*h.height*int64(h.channels) - 1
	}
	if need > size-int64(h.pixels) {
		return Info{}, truncated(PNM)
	}
	return otherInfo(PNM, h.width, h.height, h.channels, h.depth()), nil
}

func decodePNM(data []byte, o ReadOptions) (*Image, error) {
	h, err := readPNM(data, o)
	if err != nil {
		return nil, err
	}
	planes := h.channels
	if h.alpha {
		planes--
	}
	img := newImage(int(h.width), int(h.height), planes, h.alpha, h.depth(), PNM)
	if h.kind <= '3' {
		return img, h.text(img, data[h.pixels-1:])
	}
	size, channels := int(h.rowBytes()), img.channels()
	p := data[h.pixels:]
	for y := range img.Height {
		if err := ended(o.Context); err != nil {
			return nil, err
		}
		row, at := p[y*size:][:size], y*img.Width
		if h.isFloat() { // from the bottom up
			at = (img.Height - 1 - y) * img.Width
		}
		for c, plane := range channels {
			for x := range img.Width {
				i := x*h.channels + c
				switch {
				case h.kind == '4':
					plane[at+x] = float32(1 - row[x/8]>>(7-x%8)&1)
				case h.isFloat():
					plane[at+x] = DepthFloat32.unit(DepthFloat32.get(row[4*i:], h.order), o.White)
				case h.top > math.MaxUint8:
					plane[at+x] = h.unit(int(row[2*i])<<8|int(row[2*i+1]), img.Depth)
				default:
					plane[at+x] = h.unit(int(row[i]), img.Depth)
				}
			}
		}
	}
	if err := checkRead(img); err != nil && !o.KeepInvalid {
		return nil, err
	}
	return img, nil
}

// unit returns a sample, rounded to the depth of the image.
func (h *pnmHeader) unit(v int, d Depth) float32 {
	v = min(v, h.top)
	if top := int(d.Max()); top != h.top {
		v = (v*top + h.top/2) / h.top
	}
	return d.unit(float64(v), 1)
}

// text reads samples that are written as digits. p begins with the space before them.
func (h *pnmHeader) text(img *Image, p []byte) error {
	s := pnmScanner{p: p}
	channels := img.channels()
	for i := range img.Width * img.Height {
		for c := range channels {
			if h.kind == '1' {
				v := s.digit()
				if v != '0' && v != '1' {
					return damagedf(PNM, "bad sample at pixel %d", i)
				}
				channels[c][i] = float32('1' - v)
				continue
			}
			n := s.number()
			if s.bad || n > int64(h.top) {
				return damagedf(PNM, "bad sample at pixel %d", i)
			}
			channels[c][i] = h.unit(int(n), img.Depth)
		}
	}
	return nil
}

// digit returns the next byte that is no space, or 0.
func (s *pnmScanner) digit() byte {
	for ; s.at < len(s.p); s.at++ {
		if s.p[s.at] == '#' {
			s.line()
			s.at--
			continue
		}
		if bytes.IndexByte([]byte(" \t\r\n\v\f"), s.p[s.at]) < 0 {
			s.at++
			return s.p[s.at-1]
		}
	}
	return 0
}
