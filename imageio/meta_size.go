package imageio

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"
	"strconv"
)

// scaled returns a side of a smaller copy when that of the picture has changed.
func scaled(side, was, is int) int { return max(1, (2*side*is+was)/(2*was)) }

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
	if sub := d.exif(); sub != nil {
		put(sub, tagPixelsAcross, width)
		put(sub, tagPixelsDown, height)
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
