package imageio

import (
	"encoding/binary"
	"slices"
)

// Tags of Exif that say where the main subject is (JEITA CP-3451, section 4.6.5): its centre, in samples of the stored
// picture. The area may also tell a diameter, or a width and a height.
const (
	tagSubjectArea     = 37396
	tagSubjectLocation = 41492
)

// isSubject reports whether a tag can be the place of a subject.
func isSubject(id, typ uint16, count uint64) bool {
	return (id == tagSubjectArea || id == tagSubjectLocation && count == 2) && typ == typeShort && count >= 2 &&
		count <= 4
}

// exifWithSubject changes the place of the subject in an Exif block. It moves nothing but tags in their directory, as
// uprightExif.
func exifWithSubject(block []byte, c change) []byte {
	block = slices.Clone(block)
	for _, id := range []uint16{tagSubjectArea, tagSubjectLocation} {
		f, d := exifDirectory(block) // anew, because tags may have moved
		if d == nil {
			return block
		}
		sub := d.exif()
		if sub == nil {
			return block
		}
		e := sub.find(id)
		if e == nil || !isSubject(e.tag, e.typ, e.count) {
			continue
		}
		at, size, err := sub.extent(e)
		if err != nil {
			continue
		}
		if at == 0 { // the value is in the entry
			at = uint64(e.at) + 8
		}
		if v := c.subject(shorts(f.order, block[at:at+size])); v != nil {
			copy(block[at:], putShorts(f.order, v))
		} else {
			sub.remove(block, e)
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
