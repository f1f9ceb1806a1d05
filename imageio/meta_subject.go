package imageio

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"
	"slices"
)

// Tags of Exif that say where the main subject is (JEITA CP-3451, section 4.6.5): its centre, in samples of the stored
// picture. The area may also tell a diameter, or a width and a height.
const (
	tagSubjectArea     = 37396
	tagSubjectLocation = 41492
)

// subjectMove changes the place of a subject. It returns nil if the subject is outside the new picture.
type subjectMove func(v []uint16) []uint16

// subjectIn returns the change of place for a part of the picture.
func subjectIn(part image.Rectangle) subjectMove {
	return func(v []uint16) []uint16 {
		at := image.Pt(int(v[0]), int(v[1]))
		if !at.In(part) {
			return nil
		}
		at = at.Sub(part.Min)
		return append([]uint16{uint16(at.X), uint16(at.Y)}, v[2:]...)
	}
}

// subject returns the change of place for a stored picture of w x h samples that is turned upright.
func (o orientation) subject(w, h int) subjectMove {
	return func(v []uint16) []uint16 {
		x, y := int(v[0]), int(v[1])
		if x >= w || y >= h {
			return nil
		}
		mirrorX, mirrorY := o.mirrored()
		if mirrorX {
			x = w - 1 - x
		}
		if mirrorY {
			y = h - 1 - y
		}
		if x > math.MaxUint16 || y > math.MaxUint16 {
			return nil
		}
		v = append([]uint16{uint16(x), uint16(y)}, v[2:]...)
		if o.transposed() {
			v[0], v[1] = v[1], v[0]
			if len(v) == 4 {
				v[2], v[3] = v[3], v[2]
			}
		}
		return v
	}
}

// isSubject reports whether a tag can be the place of a subject.
func isSubject(id, typ uint16, count uint64) bool {
	return (id == tagSubjectArea || id == tagSubjectLocation && count == 2) && typ == typeShort && count >= 2 &&
		count <= 4
}

// movedSubject returns the metadata with another place of the subject. m may be nil.
func (m *Metadata) movedSubject(move subjectMove) *Metadata {
	if m == nil {
		return nil
	}
	out := *m
	switch {
	case m.png != nil:
		out.png = &pngMeta{chunks: slices.Clone(m.png.chunks), gray: m.png.gray}
		for i, c := range out.png.chunks {
			if c.kind == "eXIf" {
				out.png.chunks[i].body = exifWithSubject(c.body, move)
			}
		}
	case m.jpeg != nil:
		jpeg := *m.jpeg
		jpeg.segments = slices.Clone(jpeg.segments)
		for i, s := range jpeg.segments {
			if block, ok := bytes.CutPrefix(s.body, []byte(headExif)); ok && s.marker == markerAPP1 {
				jpeg.segments[i].body = append([]byte(headExif), exifWithSubject(block, move)...)
			}
		}
		out.jpeg = &jpeg
	case m.tiff != nil:
		tiff := *m.tiff
		tiff.tags = tiff.tags.movedSubject(tiff.order, move)
		out.tiff = &tiff
	case m.other != nil:
		other := *m.other
		other.exif = exifWithSubject(other.exif, move)
		out.other = &other
	}
	return &out
}

// movedSubject returns the tags of a page with another place of the subject.
func (d directory) movedSubject(order binary.ByteOrder, move subjectMove) directory {
	d = slices.Clone(d)
	t := d.find(tagExif)
	if t == nil || len(t.subs) == 0 {
		return d
	}
	var sub directory
	for _, s := range t.subs[0] {
		if isSubject(s.id, s.typ, s.count) {
			v := move(shorts(order, s.data))
			if v == nil {
				continue
			}
			s.data = putShorts(order, v)
		}
		sub = append(sub, s)
	}
	t.subs = append([]directory{sub}, t.subs[1:]...)
	return d
}

// exifWithSubject changes the place of the subject in an Exif block. It moves nothing but tags in their directory, as
// uprightExif.
func exifWithSubject(block []byte, move subjectMove) []byte {
	block = slices.Clone(block)
	for _, id := range []uint16{tagSubjectArea, tagSubjectLocation} {
		f, d := exifDirectory(block) // anew, because tags may have moved
		if d == nil {
			return block
		}
		e := d.find(tagExif)
		if e == nil {
			return block
		}
		subs, err := d.subs(e)
		if err != nil || len(subs) == 0 {
			return block
		}
		e = subs[0].find(id)
		if e == nil || !isSubject(e.tag, e.typ, e.count) {
			continue
		}
		at, size, err := subs[0].extent(e)
		if err != nil {
			continue
		}
		if at == 0 { // the value is in the entry
			at = uint64(e.at) + 8
		}
		if v := move(shorts(f.order, block[at:at+size])); v != nil {
			copy(block[at:], putShorts(f.order, v))
		} else {
			subs[0].remove(block, e)
		}
	}
	return block
}

// remove removes an entry of a directory in a block. The entries after it move up, and no value does.
func (d *ifd) remove(block []byte, e *entry) {
	end := d.nextAt + d.inlineSize()
	copy(block[e.at:end], block[e.at+d.entrySize():end])
	clear(block[end-d.entrySize() : end])
	n := len(d.entries)
	d.order.PutUint16(block[d.nextAt-int64(n)*d.entrySize()-d.countSize():], uint16(n-1))
}

func shorts(order binary.ByteOrder, p []byte) (v []uint16) {
	for ; len(p) >= 2; p = p[2:] {
		v = append(v, order.Uint16(p))
	}
	return v
}

func putShorts(order binary.ByteOrder, v []uint16) (p []byte) {
	for _, s := range v {
		p = order.(binary.AppendByteOrder).AppendUint16(p, s)
	}
	return p
}
