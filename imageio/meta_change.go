package imageio

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"
	"slices"
)

// change is what has happened to a picture since its metadata was true of it. Each kind of metadata has a method that
// applies it.
type change struct {
	turn orientation     // it was turned upright
	was  image.Point     // its size before the change
	part image.Rectangle // this part was cut out; empty = none was
	size image.Point     // the size that metadata has to tell now; zero = the one that it tells
}

func (c change) cropped() bool { return !c.part.Empty() }

// moved reports whether a part was cut out that begins at another sample.
func (c change) moved() bool { return c.cropped() && c.part.Min != image.Point{} }

func (c change) resized() bool { return c.size != image.Point{} }

// fits reports whether what belongs to every sample of the old picture belongs to the new one.
func (c change) fits() bool { return !c.cropped() && !c.resized() }

// changed returns the metadata of a changed picture, and a line for each item that is lost.
func (m *Metadata) changed(c change) (*Metadata, []string) {
	out := *m
	var maps, regions []string
	out.png, out.other = m.png.changed(c), m.other.changed(c)
	out.jpeg, maps = m.jpeg.changed(c)
	out.tiff, regions = m.tiff.changed(c)
	if c.resized() {
		out.width, out.height = c.size.X, c.size.Y
	}
	return &out, append(maps, regions...)
}

// Cropped returns the metadata for a part of the picture. It changes the position of the picture to that of the part:
// the tie points, the matrix and the polynomials of GeoTIFF, the origin of ImageJ, and the offset of PNG, and the
// place of the subject in Exif, which is left out if it is outside the part. A place on a page in a unit of length is
// left out, too. Maps of light or depth (gain maps) and regions of ImageJ no longer fit, so they are left out, and lost
// says so, a line for each item. m may be nil.
func (m *Metadata) Cropped(part image.Rectangle) (out *Metadata, lost []string) {
	if m == nil || part == image.Rect(0, 0, m.width, m.height) {
		return m, nil
	}
	return m.changed(change{part: part})
}

// resized returns the image with metadata that tells its size, if that is not the size of the picture that was read.
func resized(img *Image) *Image {
	m := img.Meta
	if m == nil || m.width == 0 || m.width == img.Width && m.height == img.Height {
		return img
	}
	out := *img
	out.Meta, _ = m.changed(change{was: image.Pt(m.width, m.height), size: image.Pt(img.Width, img.Height)})
	return &out
}

func (s *shared) changed(c change) *shared {
	if s == nil {
		return nil
	}
	out := *s
	out.exif, out.xmp = c.exif(s.exif), c.xmp(s.xmp)
	return &out
}

func (m *pngMeta) changed(c change) *pngMeta {
	if m == nil {
		return nil
	}
	out := *m
	out.chunks = nil
	for _, k := range m.chunks {
		switch {
		case k.kind == "eXIf":
			k.body = c.exif(k.body)
		case k.kind == "iTXt":
			k.body = c.text(k)
		case k.kind == "pHYs" && c.turn.transposed() && len(k.body) == 9:
			k.body = slices.Concat(k.body[4:8], k.body[:4], k.body[8:])
		case k.kind == "oFFs" && c.moved() && !k.addOffset(c.part.Min):
			continue
		}
		out.chunks = append(out.chunks, k)
	}
	return &out
}

// text returns the body of a chunk of text, which may be an XMP packet.
func (c change) text(k pngChunk) []byte {
	old := k.xmp()
	if packet := c.xmp(old); !bytes.Equal(packet, old) {
		return xmpChunk(packet)
	}
	return k.body
}

func (m *jpegMeta) changed(c change) (_ *jpegMeta, lost []string) {
	if m == nil {
		return nil, nil
	}
	out := *m
	out.segments = nil
	for _, s := range m.segments {
		if s, ok := s.changed(c); ok {
			out.segments = append(out.segments, s)
		}
	}
	if c.turn.transposed() {
		out.coding = m.coding.transposed()
	}
	if !c.fits() && out.dropMaps() > 0 {
		lost = []string{"maps of light or depth that follow the picture are left out, because it was cropped"}
	}
	return &out, lost
}

func (m *tiffMeta) changed(c change) (_ *tiffMeta, lost []string) {
	if m == nil {
		return nil, nil
	}
	out := *m
	out.tags = m.tags.changed(m.order, c)
	if tags, had := out.tags.withoutRegions(m.order); c.moved() && had {
		out.tags = tags
		lost = []string{"selections and overlays of ImageJ are left out, because the picture was cropped"}
	}
	out.levels = slices.Clone(m.levels)
	for i := range out.levels {
		if v := &out.levels[i]; c.resized() {
			v.width, v.height = scaled(v.width, c.was.X, c.size.X), scaled(v.height, c.was.Y, c.size.Y)
		}
	}
	return &out, lost
}

// changed returns the tags of a page.
func (d directory) changed(order binary.ByteOrder, c change) directory {
	d = slices.Clone(d)
	if c.turn.turns() {
		d = d.turned(order, c.turn, int64(c.was.X), int64(c.was.Y))
	}
	if c.turn.transposed() {
		d.swap(tagXResolution, tagYResolution)
	}
	if c.moved() {
		d = d.without(tagXPosition, tagYPosition)
		d.toPart(order, c.part.Min)
	}
	if t := d.find(tagXMP); t != nil {
		if typeSizes[t.typ] != 1 { // no packet of another length
			c.size = image.Point{}
		}
		t.data = c.xmp(t.data)
		t.count = uint64(len(t.data)) / typeSizes[t.typ]
	}
	if t := d.find(tagExif); t != nil && len(t.subs) > 0 {
		t.subs = append([]directory{t.subs[0].exifChanged(order, c)}, t.subs[1:]...)
	}
	return d
}

// exifChanged returns the tags of an Exif directory.
func (d directory) exifChanged(order binary.ByteOrder, c change) directory {
	var out directory
	for _, t := range d {
		if isSubject(t.id, t.typ, t.count) {
			v := c.subject(shorts(order, t.data))
			if v == nil {
				continue
			}
			t.data = putShorts(order, v)
		}
		out = append(out, t)
	}
	if c.turn.transposed() {
		out.swap(tagPixelsAcross, tagPixelsDown)
	}
	for id, v := range map[uint16]int{tagPixelsAcross: c.size.X, tagPixelsDown: c.size.Y} {
		if e := out.find(id); c.resized() && e != nil && isSize(e.typ, e.count) {
			*e = sizeTag(order, id, v, e.typ)
		}
	}
	return out
}

// exif returns an Exif block. It moves nothing but tags in their directory, because makers' notes contain offsets in
// formats that are not documented.
func (c change) exif(block []byte) []byte {
	block = exifWithSubject(uprightExif(block, c.turn), c)
	if c.resized() {
		block = resizedExif(block, c.size.X, c.size.Y)
	}
	return block
}

// xmp returns an XMP packet without previews.
func (c change) xmp(packet []byte) []byte {
	packet = uprightXMP(packet, c.turn)
	if c.resized() {
		packet = resizedXMP(packet, c.size.X, c.size.Y)
	}
	return packet
}

// subject returns the place of a subject, and its size if the tag has one. It returns nil if the subject is outside the
// new picture, or if a tag cannot hold the place.
func (c change) subject(v []uint16) []uint16 {
	at, size := image.Pt(int(v[0]), int(v[1])), slices.Clone(v[2:])
	if c.turn.turns() {
		if !at.In(image.Rectangle{Max: c.was}) {
			return nil
		}
		mirrorX, mirrorY := c.turn.mirrored()
		if mirrorX {
			at.X = c.was.X - 1 - at.X
		}
		if mirrorY {
			at.Y = c.was.Y - 1 - at.Y
		}
		if c.turn.transposed() {
			at.X, at.Y = at.Y, at.X
			if len(size) == 2 {
				size[0], size[1] = size[1], size[0]
			}
		}
	}
	if c.cropped() {
		if !at.In(c.part) {
			return nil
		}
		at = at.Sub(c.part.Min)
	}
	if max(at.X, at.Y) > math.MaxUint16 {
		return nil
	}
	return append([]uint16{uint16(at.X), uint16(at.Y)}, size...)
}
