package imageio

import (
	"encoding/binary"
	"math"
	"slices"
)

// descriptive lists the tags that Exif (JEITA CP-3451, section 4.6.4) shares with TIFF.
var descriptive = []uint16{tagDescription, 271, 272, tagXResolution, tagYResolution, tagResolutionUnit, 305, 306, 315,
	316,
	33432, tagExif, tagGPS}

// shared returns the metadata that other formats can hold. It builds an Exif block from the descriptive tags.
func (m *tiffMeta) shared() shared {
	s := shared{density: m.density()}
	for id, p := range map[uint16]*[]byte{tagICC: &s.icc, tagXMP: &s.xmp, tagPhotoshop: &s.photoshop} {
		if t := m.tags.find(id); t != nil {
			*p = t.data
		}
	}
	if t := m.tags.find(tagIPTC); t != nil && !hasIPTC(s.photoshop) {
		s.photoshop = append(slices.Clone(s.photoshop), resource(resourceIPTC, t.data)...)
	}
	var d directory
	for _, t := range m.tags {
		if slices.Contains(descriptive, t.id) && d.find(t.id) == nil { // Exif has one description
			d = append(d, t)
		}
	}
	if len(d) > 0 {
		s.exif = tiffForm{order: m.order}.block(d.sorted())
	}
	return s
}

func hasIPTC(resources []byte) bool {
	for {
		id, _, size := nextResource(resources)
		if size == 0 {
			return false
		}
		if id == resourceIPTC {
			return true
		}
		resources = resources[size:]
	}
}

func (m *tiffMeta) density() density {
	unit := uint64(2)
	if t := m.tags.find(tagResolutionUnit); t != nil && t.typ == typeShort && len(t.data) >= 2 {
		unit = uint64(m.order.Uint16(t.data))
	}
	d := density{x: m.rational(tagXResolution), y: m.rational(tagYResolution)}
	switch unit {
	case 2:
		d.unit = perInch
	case 3:
		d.unit = perCentimetre
	}
	if d.unit == perNothing && d.x == d.y { // square pixels, which is the default
		return density{}
	}
	return d
}

// rational returns the first value of a tag, or 0.
func (m *tiffMeta) rational(id uint16) float64 {
	t := m.tags.find(id)
	if t == nil || t.typ != typeRational || len(t.data) < 8 {
		return 0
	}
	below := m.order.Uint32(t.data[4:])
	if below == 0 {
		return 0
	}
	return float64(m.order.Uint32(t.data)) / float64(below)
}

// tiffTags returns the tags to write into a TIFF file of the given byte order. The metadata may come from any format.
func (m *Metadata) tiffTags(order binary.ByteOrder, strip bool) directory {
	if m == nil {
		return nil
	}
	var d directory
	from := order
	if m.tiff != nil {
		d, from = slices.Clone(m.tiff.tags), m.tiff.order
	} else {
		d, from = m.foreignTags(order)
	}
	if strip {
		d = slices.DeleteFunc(d, func(t tag) bool { return !slices.Contains(appearance, t.id) })
	}
	d = m.noteTIFF(d)
	if from != order {
		d = d.swapped()
	}
	return d
}

// foreignTags converts the metadata of a PNG or JPEG file to tags. They have the byte order of its Exif block if there
// is one, otherwise order.
func (m *Metadata) foreignTags(order binary.ByteOrder) (directory, binary.ByteOrder) {
	s := m.shared()
	d, from := exifTags(s.exif)
	if from != nil {
		order = from
	}
	add := func(id, typ uint16, data []byte) {
		if data != nil {
			d = append(d, tag{id: id, typ: typ, count: uint64(len(data)), data: data})
		}
	}
	add(tagICC, typeUndefined, s.icc)
	add(tagXMP, typeByte, s.xmp)
	add(tagPhotoshop, typeByte, s.photoshop)
	if r := s.density; r.known() && !r.equals((&tiffMeta{tiffForm: tiffForm{order: order}, tags: d}).density()) {
		d = d.with(rational(order, tagXResolution, r.x), rational(order, tagYResolution, r.y),
			numbers(order, tagResolutionUnit, typeShort, uint64(r.unit)+1))
	}
	return d.sorted(), order
}

// equals reports whether two resolutions differ by rounding at most. If so, the Exif block has the one of more digits.
func (d density) equals(e density) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 0.5 }
	return d.unit == e.unit && near(d.x, e.x) && near(d.y, e.y)
}

// rational returns a tag with the value v, rounded to a thousandth.
func rational(order binary.ByteOrder, id uint16, v float64) tag {
	below := 1000.0
	if v == math.Trunc(v) {
		below = 1
	}
	return numbers(order, id, typeRational, uint64(min(math.Round(v*below), math.MaxUint32)), uint64(below))
}

// exifTags reads the descriptive tags of an Exif block. The byte order is nil if the block cannot be read.
func exifTags(block []byte) (directory, binary.ByteOrder) {
	f, d := exifDirectory(block)
	if d == nil {
		return nil, nil
	}
	if _, err := d.metadataSize(); err != nil {
		return nil, nil
	}
	tags, err := d.tree(func(id uint16) bool { return slices.Contains(descriptive, id) }, 0)
	if err != nil {
		return nil, nil
	}
	return tags, f.order
}

// swapped returns the directory in the other byte order. Values of undefined type stay as they are.
func (d directory) swapped() directory {
	out := slices.Clone(d)
	for i, t := range out {
		for j, s := range t.subs {
			if j == 0 {
				out[i].subs = slices.Clone(t.subs)
			}
			out[i].subs[j] = s.swapped()
		}
		out[i].place = 0 // the value is not understood in this byte order
		unit := int(typeSizes[t.typ])
		if t.typ == typeRational || t.typ == 10 {
			unit = 4
		}
		if unit > 1 {
			out[i].data = slices.Clone(t.data)
			for p := out[i].data; len(p) >= unit; p = p[unit:] {
				slices.Reverse(p[:unit])
			}
		}
	}
	return out
}
