package imageio

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// pngChunk is a chunk of metadata.
type pngChunk struct {
	kind  string
	body  []byte
	after bool // it follows the pixels
}

// pngMeta is the metadata of a PNG file.
type pngMeta struct {
	chunks []pngChunk
	gray   bool
	deep   bool // the background has 16 bits
}

// maxInflated limits the bytes that the compressed texts and the profile of a file expand to, all together.
const maxInflated = 16 << 20

const keywordXMP = "XML:com.adobe.xmp"

// pngAppearance lists the chunks that are kept even if metadata is stripped.
var pngAppearance = []string{"gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "mDCv", "cLLI", "cLLi", "sBIT", "bKGD",
	"pHYs"}

// pngKnown lists the chunks of the specification that stay true when the pixels change.
var pngKnown = append([]string{"tEXt", "zTXt", "iTXt", "eXIf", "tIME", "sPLT", "oFFs", "pCAL", "sCAL", "sTER", "gIFg",
	"gIFx"}, pngAppearance...)

// copiedChunk reports whether a chunk is copied to the new file. A chunk that is not known here may be copied if the
// first and the last letter of its name are lower case (section 14.2 of the specification).
func copiedChunk(kind string) bool {
	switch kind {
	case "tRNS", "hIST", "dSIG": // they belong to the alpha, the palette and the bytes of the old file
		return false
	}
	return slices.Contains(pngKnown, kind) || kind[0]&0x20 != 0 && kind[3]&0x20 != 0
}

// metadata changes the chunks to suit an upright picture without a palette.
func (h *pngHeader) metadata(by change) *Metadata {
	m := &pngMeta{gray: h.gray(), deep: h.bits == 16}
	for _, c := range h.chunks {
		c = withoutProfileThumbnails(c)
		c.body = slices.Clone(c.body) // so that the bytes of the file can be collected
		if c.kind == "bKGD" {
			if c.body = h.background(c.body); c.body == nil {
				continue
			}
		}
		m.chunks = append(m.chunks, c)
	}
	return &Metadata{png: m.changed(by)}
}

// background converts the background colour to RGB if there is a palette, and to 8 bits if there are fewer. It returns
// nil if the colour is not valid.
func (h *pngHeader) background(b []byte) []byte {
	switch {
	case h.colour == pngPalette:
		if len(b) != 1 || int(b[0])*3+3 > len(h.palette) {
			return nil
		}
		c := h.palette[3*int(b[0]):]
		return []byte{0, c[0], 0, c[1], 0, c[2]}
	case h.bits < 8:
		if len(b) != 2 {
			return nil
		}
		v := uint(b[1]) & (1<<h.bits - 1)
		return []byte{0, byte(v * (math.MaxUint8 / (1<<h.bits - 1)))}
	}
	return b
}

// fits reports whether a chunk has the length that the colour type asks for.
func (c *pngChunk) fits(colour byte) bool {
	switch c.kind {
	case "sBIT":
		return len(c.body) == pngKinds[colour].channels
	case "bKGD":
		return len(c.body) == map[byte]int{pngGray: 2, pngGrayAlpha: 2, pngRGB: 6, pngRGBA: 6}[colour]
	}
	return true
}

// compressed returns the compressed part of a text or profile, or nil if there is none.
func (c *pngChunk) compressed() []byte {
	key, rest, ok := bytes.Cut(c.body, []byte{0})
	if !ok || len(key) > 79 || len(rest) == 0 {
		return nil
	}
	switch c.kind {
	case "iCCP", "zTXt":
		return rest[1:]
	case "iTXt":
		if len(rest) < 2 || rest[0] != 1 {
			return nil
		}
		if parts := bytes.SplitN(rest[2:], []byte{0}, 3); len(parts) == 3 {
			return parts[2]
		}
	}
	return nil
}

// inflateText expands a text or profile. It fails if the result is longer than limit bytes.
func inflateText(p []byte, limit int64) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(p))
	if err != nil {
		return nil, damagedf(PNG, "%v", err)
	}
	b, err := io.ReadAll(io.LimitReader(z, limit+1))
	if int64(len(b)) > limit {
		return nil, tooMuchText()
	}
	if err != nil {
		return nil, damagedf(PNG, "%v", err)
	}
	return b, nil
}

// checkMetadata refuses too much metadata. Texts are copied in their compressed form, but a program that reads the new
// file would expand them. A text that cannot be expanded does no harm.
func (h *pngHeader) checkMetadata() error {
	left, total := int64(maxInflated), 0
	for i := range h.chunks {
		c := &h.chunks[i]
		if total += len(c.body); total > maxMetadata {
			return tooMuchMetadata()
		}
		p := c.compressed()
		if p == nil {
			continue
		}
		if left -= inflatedSize(p, left); left < 0 {
			return tooMuchText()
		}
	}
	return nil
}

// inflatedSize returns the number of bytes that p expands to, counted up to limit+1. It keeps none of them.
func inflatedSize(p []byte, limit int64) int64 {
	z, err := zlib.NewReader(bytes.NewReader(p))
	if err != nil {
		return 0
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(z, limit+1))
	return n
}

func tooMuchText() error {
	return failf(ErrLimit, "PNG with texts or a profile of more than %d MiB", maxInflated>>20)
}

// xmp returns the XMP packet in an iTXt chunk, or nil.
func (c *pngChunk) xmp() []byte {
	rest, ok := bytes.CutPrefix(c.body, []byte(keywordXMP+"\x00"))
	if c.kind != "iTXt" || !ok || len(rest) < 2 {
		return nil
	}
	if p := c.compressed(); p != nil {
		b, err := inflateText(p, maxInflated)
		if err != nil {
			return nil
		}
		return b
	}
	if parts := bytes.SplitN(rest[2:], []byte{0}, 3); len(parts) == 3 {
		return parts[2]
	}
	return nil
}

func xmpChunk(packet []byte) []byte {
	return append([]byte(keywordXMP+"\x00\x00\x00\x00\x00"), packet...)
}

// profile returns the colour profile, or nil if there is none.
func (m *pngMeta) profile() ([]byte, error) {
	for i := range m.chunks {
		if c := &m.chunks[i]; c.kind == "iCCP" {
			return inflateText(c.compressed(), maxInflated)
		}
	}
	return nil, nil
}

// shared returns the metadata that other formats can hold. A profile that cannot be expanded is left out. If there is
// no profile, one says what the chunks say of colours.
func (m *pngMeta) shared() shared {
	var s shared
	if s.icc, _ = m.profile(); s.icc == nil {
		s.icc = m.described()
	}
	for i := range m.chunks {
		c := &m.chunks[i]
		switch c.kind {
		case "eXIf":
			s.exif = c.body
		case "iTXt":
			if p := c.xmp(); p != nil {
				s.xmp = p
			}
		case "pHYs":
			if len(c.body) == 9 {
				s.density = density{x: float64(binary.BigEndian.Uint32(c.body)),
					y: float64(binary.BigEndian.Uint32(c.body[4:]))}
				if c.body[8] == 1 {
					s.density = density{s.density.x / 100, s.density.y / 100, perCentimetre}
				}
			}
		}
	}
	return s.withDensityOfExif()
}

// pngChunks returns the chunks to write into a PNG file with this colour type. The metadata may come from any format.
func (m *Metadata) pngChunks(colour byte, strip bool) []pngChunk {
	var list []pngChunk
	switch {
	case m == nil:
	case m.png != nil:
		list = slices.Clone(m.png.chunks)
		if d := m.png.shared().density; strip && d.known() &&
			!slices.ContainsFunc(list, func(c pngChunk) bool { return c.kind == "pHYs" }) {
			list = append(list, d.chunk()) // only Exif, which goes, tells it
		}
	default:
		list = m.shared().pngChunks(colour)
	}
	return m.notePNG(slices.DeleteFunc(list, func(c pngChunk) bool {
		return !c.fits(colour) || strip && !slices.Contains(pngAppearance, c.kind)
	}))
}

// pngChunks converts metadata of another format.
func (s shared) pngChunks(colour byte) []pngChunk {
	var list []pngChunk
	add := func(kind string, body []byte) { list = append(list, pngChunk{kind: kind, body: body}) }
	space := "GRAY"
	if colour == pngRGB || colour == pngRGBA {
		space = "RGB "
	}
	if len(s.icc) >= 20 && string(s.icc[16:20]) == space {
		var b bytes.Buffer
		b.WriteString("icc\x00\x00")
		z := zlib.NewWriter(&b)
		z.Write(s.icc)
		z.Close()
		add("iCCP", b.Bytes())
	}
	if s.density.known() {
		list = append(list, s.density.chunk())
	}
	if s.exif != nil {
		add("eXIf", s.exif)
	}
	if s.xmp != nil {
		add("iTXt", xmpChunk(s.xmp))
	}
	return list
}

// chunk returns the resolution as a chunk.
func (d density) chunk() pngChunk {
	perMetre := map[densityUnit]float64{perInch: 1 / 0.0254, perCentimetre: 100, perNothing: 1}[d.unit]
	b := binary.BigEndian.AppendUint32(nil, uint32(min(math.Round(d.x*perMetre), math.MaxInt32)))
	b = binary.BigEndian.AppendUint32(b, uint32(min(math.Round(d.y*perMetre), math.MaxInt32)))
	known := byte(1)
	if d.unit == perNothing {
		known = 0
	}
	return pngChunk{kind: "pHYs", body: append(b, known)}
}
