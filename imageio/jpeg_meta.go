package imageio

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// segment is a marker segment with metadata.
type segment struct {
	marker byte
	body   []byte
}

// jpegMeta is the metadata of a JPEG file.
type jpegMeta struct {
	segments []segment
	coding   jpegCoding
	trailer  []byte    // what follows the picture, without previews
	index    *mpfIndex // the pictures in the trailer, if there is a list of them
}

// jpegCoding says how the samples of a file are coded, so that a new file can be coded in the same way.
type jpegCoding struct {
	factors [][2]int      // sampling factors of each component: blocks across and down in a unit
	tables  []*quantTable // quantisation table of each component
	adobe   bool          // there is an Adobe segment, which names the colour transform
	plain   bool          // components are RGB or CMYK, without a colour transform
}

// Markers of the segments of metadata, and the strings that they begin with.
const (
	markerAPP0  = 0xe0
	markerAPP2  = 0xe2
	markerAPP13 = 0xed
	markerAPP14 = 0xee
	markerAPP15 = 0xef
	markerCOM   = 0xfe
	markerDQT   = 0xdb

	headJFIF      = "JFIF\x00"
	headJFXX      = "JFXX\x00"
	headExif      = "Exif\x00\x00"
	headXMP       = "http://ns.adobe.com/xap/1.0/\x00"
	headICC       = "ICC_PROFILE\x00"
	headMPF       = "MPF\x00"
	headPhotoshop = "Photoshop 3.0\x00"
	headAdobe     = "Adobe"

	maxSegment = math.MaxUint16 - 2 // bytes of a body
)

func (s segment) has(marker byte, head string) bool {
	return s.marker == marker && bytes.HasPrefix(s.body, []byte(head))
}

// rest returns what follows the string that the segment begins with.
func (s segment) rest(head string) []byte { return s.body[len(head):] }

// changed returns the segment without thumbnails. It returns false if the segment is not copied.
func (s segment) changed(c change) (out segment, ok bool) {
	switch {
	case s.has(markerAPP0, headJFIF):
		if len(s.body) < 14 {
			return s, false
		}
		b := append(slices.Clone(s.body[:12]), 0, 0) // the thumbnail follows
		if c.turn.transposed() {
			b = slices.Concat(b[:8], b[10:12], b[8:10], b[12:])
		}
		s.body = b
	case s.has(markerAPP0, headJFXX), s.has(markerAPP2, headMPF), s.has(markerAPP14, headAdobe):
		return s, false
	case s.has(markerAPP1, headExif):
		s.body = append([]byte(headExif), c.exif(s.rest(headExif))...)
	case s.has(markerAPP1, headXMP):
		packet := c.xmp(s.rest(headXMP))
		if len(headXMP)+len(packet) > maxSegment { // another size, or its other name, may be longer
			packet = change{}.xmp(s.rest(headXMP))
		}
		s.body = append([]byte(headXMP), packet...)
	default:
		s.body = slices.Clone(s.body) // so that the bytes of the file can be collected
	}
	return s, true
}

// metadata returns the metadata for the upright picture.
func (h *jpegHeader) metadata(c change) *Metadata {
	m, _ := (&jpegMeta{coding: h.coding(), segments: withoutPreviews(h.segments)}).changed(c)
	m.segments = withoutThumbnailsInXMP(withoutThumbnailSegments(m.segments))
	var lost []string
	m.trailer, m.index, lost = h.trailing(c.turn)
	return &Metadata{jpeg: m, lost: lost}
}

// coding returns the tables and what the frame header says. Without a JFIF segment, three components are plain if an
// Adobe segment says so, or if there is none and their names are R, G and B. Four are plain without an Adobe segment.
// libjpeg has the same rule.
func (h *jpegHeader) coding() jpegCoding {
	var c jpegCoding
	jfif, transform := false, byte(1)
	for _, s := range h.segments {
		jfif = jfif || s.has(markerAPP0, headJFIF)
		if s.has(markerAPP14, headAdobe) && len(s.body) >= 12 {
			c.adobe, transform = true, s.body[11]
		}
	}
	letters := ""
	for i := range int(h.components) {
		p := h.frameBody[6+3*i:]
		letters += string(rune(p[0]))
		c.factors = append(c.factors, [2]int{int(p[1] >> 4), int(p[1] & 15)})
		c.tables = append(c.tables, h.tables[p[2]&3])
	}
	switch {
	case h.components == 4:
		c.plain = transform == 0 || !c.adobe
	case h.components == 3 && !jfif:
		c.plain = transform == 0 || !c.adobe && letters == "RGB"
	}
	return c
}

// transposed returns the coding for a picture whose rows are the columns of the file.
func (c jpegCoding) transposed() jpegCoding {
	c.factors, c.tables = slices.Clone(c.factors), slices.Clone(c.tables)
	for i, f := range c.factors {
		c.factors[i] = [2]int{f[1], f[0]}
		if c.tables[i] == nil {
			continue
		}
		t := new(quantTable)
		for j, at := range zigzag {
			t[slices.Index(zigzag[:], at%8*8+at/8)] = c.tables[i][j]
		}
		c.tables[i] = t
	}
	return c
}

// Quality estimates the quality, 1 to 100, that a JPEG was written with, from its quantisation table. It returns 0 if
// the source was not a JPEG.
func (m *Metadata) Quality() int {
	if m == nil || m.jpeg == nil || m.jpeg.coding.tables[0] == nil {
		return 0
	}
	return qualityOf(m.jpeg.coding.tables[0])
}

// shared returns the metadata that other formats can hold.
func (m *jpegMeta) shared() shared {
	var s shared
	for _, g := range m.segments {
		switch {
		case g.has(markerAPP0, headJFIF):
			s.density = jfifDensity(g.rest(headJFIF))
		case g.has(markerAPP1, headExif) && s.exif == nil:
			s.exif = g.rest(headExif)
		case g.has(markerAPP1, headXMP) && s.xmp == nil:
			s.xmp = g.rest(headXMP)
		case g.has(markerAPP13, headPhotoshop):
			s.photoshop = append(s.photoshop, g.rest(headPhotoshop)...)
		}
	}
	s.icc = m.profile()
	return s.withDensityOfExif()
}

// jfifDensity reads the resolution in the body of a JFIF segment. Square pixels, which is the default, tell nothing.
func jfifDensity(b []byte) density {
	d := density{float64(binary.BigEndian.Uint16(b[3:])), float64(binary.BigEndian.Uint16(b[5:])),
		densityUnit(min(b[2], 2))}
	if d.unit == perNothing && d.x == d.y {
		return density{}
	}
	return d
}

// profile joins the pieces of a profile (ICC.1:2022, annex B.4). It returns nil if a piece is missing.
func (m *jpegMeta) profile() []byte {
	var pieces [][]byte
	for _, g := range m.segments {
		if !g.has(markerAPP2, headICC) || len(g.rest(headICC)) < 2 {
			continue
		}
		b := g.rest(headICC)
		number, count := int(b[0]), int(b[1])
		if pieces == nil {
			pieces = make([][]byte, count)
		}
		if number < 1 || number > len(pieces) || count != len(pieces) {
			return nil
		}
		pieces[number-1] = b[2:]
	}
	if slices.ContainsFunc(pieces, func(p []byte) bool { return p == nil }) {
		return nil
	}
	return slices.Concat(pieces...)
}

// jpegSegments returns the segments to write into a JPEG file, with the note. The metadata may come from any format.
func (m *Metadata) jpegSegments(planes int, strip bool) []segment {
	return m.noteJPEG(m.segmentsFor(planes, strip))
}

// segmentsFor returns the segments without the note. It leaves out items that are too long for a segment.
func (m *Metadata) segmentsFor(planes int, strip bool) []segment {
	if m != nil && m.jpeg != nil {
		return m.jpeg.segmentsFor(planes, strip)
	}
	s := m.shared()
	var list []segment
	add := func(marker byte, head string, body []byte) {
		if body != nil && len(head)+len(body) <= maxSegment {
			list = append(list, segment{marker, append([]byte(head), body...)})
		}
	}
	if planes != 4 { // JFIF does not define CMYK
		add(markerAPP0, headJFIF, s.density.jfif())
	}
	if !strip {
		add(markerAPP1, headExif, s.exif)
		add(markerAPP1, headXMP, s.xmp)
	}
	if space := map[int]string{1: "GRAY", 3: "RGB ", 4: "CMYK"}[planes]; len(s.icc) >= 20 &&
		string(s.icc[16:20]) == space {
		const piece = maxSegment - len(headICC) - 2
		pieces := slices.Collect(slices.Chunk(s.icc, piece))
		for i, p := range pieces {
			if len(pieces) <= math.MaxUint8 {
				add(markerAPP2, headICC, append([]byte{byte(i + 1), byte(len(pieces))}, p...))
			}
		}
	}
	if !strip {
		add(markerAPP13, headPhotoshop, withoutThumbnails(s.photoshop))
	}
	return list
}

// segmentsFor returns those of the file itself. If only Exif told the resolution, and goes, a JFIF segment tells it. It
// would change the colours of a file whose planes are red, green and blue.
func (m *jpegMeta) segmentsFor(planes int, strip bool) []segment {
	list := slices.DeleteFunc(slices.Clone(m.segments), func(s segment) bool { return strip && !s.appearance() })
	hasJFIF := slices.ContainsFunc(list, func(s segment) bool { return s.has(markerAPP0, headJFIF) })
	if d := m.shared().density; strip && !hasJFIF && !m.coding.plain && planes != 4 && d.known() {
		list = slices.Insert(list, 0, segment{markerAPP0, append([]byte(headJFIF), d.jfif()...)})
	}
	return list
}

// appearance reports whether the segment decides how the picture looks: it holds the profile or the resolution.
func (s segment) appearance() bool {
	return s.has(markerAPP2, headICC) || s.has(markerAPP0, headJFIF)
}

// forWholeNumbers returns the resolution in the unit that loses less when it is rounded: PNG has metres, so 300 dots to
// the inch come as 118.11 to the centimetre.
func (d density) forWholeNumbers() density {
	inch := density{2.54 * d.x, 2.54 * d.y, perInch}
	loss := func(v float64) float64 { return math.Abs(math.Round(v)-v) / v }
	if d.unit == perCentimetre && max(loss(inch.x), loss(inch.y)) < max(loss(d.x), loss(d.y)) {
		return inch
	}
	return d
}

// jfif returns the body of a JFIF segment (ECMA TR/98, section 10), version 1.02.
func (d density) jfif() []byte {
	if !d.known() {
		d = density{1, 1, perNothing}
	}
	d = d.forWholeNumbers()
	b := []byte{1, 2, byte(d.unit)}
	for _, v := range []float64{d.x, d.y} {
		b = binary.BigEndian.AppendUint16(b, uint16(min(max(math.Round(v), 1), math.MaxUint16)))
	}
	return append(b, 0, 0)
}
