package imageio

import (
	"bytes"
	"slices"
)

// Tags of the thumbnail, in the second directory of a block of Exif, and of the size that the first repeats.
const (
	tagThumbnail      = 513
	tagThumbnailBytes = 514
	tagPixelsAcross   = 40962
	tagPixelsDown     = 40963
)

// exifOrientation reads the tag from a bare Exif block, which is laid out as a TIFF file. Exif is a
// side matter: a block that makes no sense means upright.
func exifOrientation(block []byte) orientation {
	_, d := exifDirectory(block)
	if d == nil {
		return 1
	}
	v, err := d.uint(tagOrientation, 1)
	if err != nil {
		return 1
	}
	return orientation(v)
}

// exifDirectory gives the first directory of a block, or nil.
func exifDirectory(block []byte) (*tiffFile, *ifd) {
	f, err := openTIFF(bytes.NewReader(block), int64(len(block)))
	if err != nil || f.big {
		return nil, nil
	}
	d, err := f.directory(f.first)
	if err != nil {
		return nil, nil
	}
	return f, d
}

// uprightExif is the block for the upright picture, without its thumbnail. Nothing is moved in it: makers'
// notes point into the block, and nobody knows where.
func uprightExif(block []byte, turn orientation) []byte {
	f, d := exifDirectory(block)
	if d == nil {
		return block
	}
	block = slices.Clone(block)
	if e := d.find(tagOrientation); e != nil && e.typ == typeShort && e.count == 1 {
		f.order.PutUint16(block[e.at+8:], 1)
	}
	if turn.transposed() {
		swapInline(block, d, tagXResolution, tagYResolution)
		if e := d.find(tagExif); e != nil {
			if subs, err := d.subs(e); err == nil && len(subs) > 0 {
				swapInline(block, subs[0], tagPixelsAcross, tagPixelsDown)
			}
		}
	}
	return withoutThumbnail(block, f, d)
}

// swapInline exchanges the types, counts and values (or offsets of values) of two tags.
func swapInline(block []byte, d *ifd, a, b uint16) {
	x, y := d.find(a), d.find(b)
	if x == nil || y == nil {
		return
	}
	p, q := block[x.at+2:x.at+12], block[y.at+2:y.at+12]
	kept := slices.Clone(p)
	copy(p, q)
	copy(q, kept)
}

// withoutThumbnail unlinks the second directory, and wipes or cuts off the thumbnail that it points to.
func withoutThumbnail(block []byte, f *tiffFile, d *ifd) []byte {
	if d.next == 0 {
		return block
	}
	f.order.PutUint32(block[d.nextAt:], 0)
	second, err := f.directory(d.next)
	if err != nil {
		return block
	}
	for _, tags := range [][2]uint16{{tagThumbnail, tagThumbnailBytes}, {tagStripOffsets, tagStripByteCounts}} {
		at, err1 := second.uints(tags[0], 1)
		n, err2 := second.uints(tags[1], 1)
		if err1 != nil || err2 != nil || len(at) != 1 || len(n) != 1 || at[0] < 8 || !f.holds(at[0], n[0]) || int(at[0]+n[0]) > len(block) {
			continue
		}
		if clear(block[at[0] : at[0]+n[0]]); int(at[0]+n[0]) == len(block) && int64(at[0]) > second.nextAt+4 {
			block = block[:at[0]]
		}
	}
	return block
}
