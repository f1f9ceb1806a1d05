package imageio

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"
	"strconv"
)

// resized returns the image with metadata that tells its size, if that is not the size of the picture that was read.
func resized(img *Image) *Image {
	m := img.Meta
	if m == nil || m.width == 0 || m.width == img.Width && m.height == img.Height {
		return img
	}
	out := *img
	out.Meta = m.resized(img.Width, img.Height)
	return &out
}

// resized returns the metadata for a part of the picture. A map of light no longer fits, so it goes.
func (m *Metadata) resized(width, height int) *Metadata {
	out := *m
	out.width, out.height = width, height
	switch {
	case m.png != nil:
		out.png = &pngMeta{chunks: slices.Clone(m.png.chunks), gray: m.png.gray}
		for i := range out.png.chunks {
			c := &out.png.chunks[i]
			if c.kind == "eXIf" {
				c.body = resizedExif(c.body, width, height)
			} else if packet := c.xmp(); packet != nil {
				c.body = xmpChunk(resizedXMP(packet, width, height))
			}
		}
	case m.jpeg != nil:
		jpeg := *m.jpeg
		jpeg.segments = slices.Clone(jpeg.segments)
		for i := range jpeg.segments {
			jpeg.segments[i].resize(width, height)
		}
		jpeg.dropMaps()
		out.jpeg = &jpeg
	case m.tiff != nil:
		tiff := *m.tiff
		tiff.tags = tiff.tags.resized(tiff.order, width, height)
		tiff.levels = slices.Clone(tiff.levels)
		for i := range tiff.levels {
			v := &tiff.levels[i]
			v.width, v.height = scaled(v.width, m.width, width), scaled(v.height, m.height, height)
		}
		out.tiff = &tiff
	case m.other != nil:
		other := *m.other
		other.exif, other.xmp = resizedExif(other.exif, width, height), resizedXMP(other.xmp, width, height)
		out.other = &other
	}
	return &out
}

// scaled returns a side of a smaller copy when that of the picture has changed.
func scaled(side, was, is int) int { return max(1, (2*side*is+was)/(2*was)) }

func (s *segment) resize(width, height int) {
	if s.marker != markerAPP1 {
		return
	}
	if block, ok := bytes.CutPrefix(s.body, []byte(headExif)); ok {
		s.body = append([]byte(headExif), resizedExif(block, width, height)...)
	}
	if packet, ok := bytes.CutPrefix(s.body, []byte(headXMP)); ok {
		if packet = resizedXMP(packet, width, height); len(headXMP)+len(packet) <= maxSegment {
			s.body = append([]byte(headXMP), packet...)
		}
	}
}

// resizedExif sets the size in an Exif block, where it tells one. It moves nothing, as uprightExif.
func resizedExif(block []byte, width, height int) []byte {
	f, d := exifDirectory(block)
	if d == nil {
		return block
	}
	block = slices.Clone(block)
	put := func(d *ifd, id uint16, v int) {
		if e := d.find(id); e != nil && isSize(e.typ, e.count) {
			t := sizeTag(f.order, id, v, e.typ)
			f.order.PutUint16(block[e.at+2:], t.typ)
			clear(block[e.at+8 : e.at+12])
			copy(block[e.at+8:], t.data)
		}
	}
	put(d, tagImageWidth, width)
	put(d, tagImageLength, height)
	if e := d.find(tagExif); e != nil {
		if subs, err := d.subs(e); err == nil && len(subs) > 0 {
			put(subs[0], tagPixelsAcross, width)
			put(subs[0], tagPixelsDown, height)
		}
	}
	return block
}

// isSize reports whether a tag can be a width or a height.
func isSize(typ uint16, count uint64) bool {
	return count == 1 && (typ == typeShort || typ == typeLong)
}

// sizeTag returns a tag of the type that it has had, if that is long enough.
func sizeTag(order binary.ByteOrder, id uint16, v int, was uint16) tag {
	if v > 0xffff {
		was = typeLong
	}
	return numbers(order, id, was, uint64(v))
}

// resized sets the size in the Exif directory and in the XMP packet of a page, where they tell one.
func (d directory) resized(order binary.ByteOrder, width, height int) directory {
	d = slices.Clone(d)
	if t := d.find(tagXMP); t != nil && typeSizes[t.typ] == 1 {
		t.data = resizedXMP(t.data, width, height)
		t.count = uint64(len(t.data))
	}
	t := d.find(tagExif)
	if t == nil || len(t.subs) == 0 {
		return d
	}
	sub := slices.Clone(t.subs[0])
	for id, v := range map[uint16]int{tagPixelsAcross: width, tagPixelsDown: height} {
		if e := sub.find(id); e != nil && isSize(e.typ, e.count) {
			*e = sizeTag(order, id, v, e.typ)
		}
	}
	t.subs = append([]directory{sub}, t.subs[1:]...)
	return d
}

// Sizes in a packet, and the half of their names that says the direction.
var (
	xmpSize      = regexp.MustCompile(`((?:exif:Pixel(X|Y)Dimension|tiff:Image(Width|Length))\s*(?:=\s*["']|>)\s*)\d+`)
	xmpDirection = regexp.MustCompile(`exif:Pixel[XY]Dimension|tiff:Image(?:Width|Length)`)
)

// resizedXMP sets the size in a packet, where it tells one.
func resizedXMP(packet []byte, width, height int) []byte {
	return xmpSize.ReplaceAllFunc(packet, func(text []byte) []byte {
		part, v := xmpSize.FindSubmatch(text), height
		if string(part[2]) == "X" || string(part[3]) == "Width" {
			v = width
		}
		return strconv.AppendInt(bytes.Clone(part[1]), int64(v), 10)
	})
}

// transposedXMP exchanges width and height in a packet, by exchanging their names.
func transposedXMP(packet []byte) []byte {
	other := map[string]string{"exif:PixelXDimension": "exif:PixelYDimension",
		"exif:PixelYDimension": "exif:PixelXDimension",
		"tiff:ImageWidth":      "tiff:ImageLength", "tiff:ImageLength": "tiff:ImageWidth"}
	return xmpDirection.ReplaceAllFunc(packet, func(name []byte) []byte { return []byte(other[string(name)]) })
}

// dropMaps removes pictures that are maps of light or depth from what follows the picture. It returns how many there
// were.
func (m *jpegMeta) dropMaps() int {
	if m.index == nil {
		return 0
	}
	index := *m.index
	index.entries = slices.Clone(index.entries)
	for i, e := range index.entries {
		index.entries[i].raw = slices.Clone(e.raw)
	}
	cut, maps := index.drop(true)
	m.trailer, m.index = cutRanges(m.trailer, cut, &index), &index
	if len(index.entries) == 1 {
		m.index = nil
	}
	if len(bytes.Trim(m.trailer, "\x00")) == 0 { // padding
		m.trailer, m.index = nil, nil
	}
	return maps
}
