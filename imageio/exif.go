package imageio

import (
	"bytes"
	"slices"
)

// Tags of an Exif block: the thumbnail, in its second directory, and a copy of the size of the picture.
const (
	tagThumbnail      = 513
	tagThumbnailBytes = 514
	tagPixelsAcross   = 40962
	tagPixelsDown     = 40963
)

// exifOrientation returns the orientation in an Exif block, which has the structure of a TIFF file. A block that cannot
// be read means upright.
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

// exifDirectory returns the first directory of an Exif block, or nil.
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

// exif returns the Exif directory inside, or nil.
func (d *ifd) exif() *ifd {
	e := d.find(tagExif)
	if e == nil {
		return nil
	}
	subs, err := d.subs(e)
	if err != nil || len(subs) == 0 {
		return nil
	}
	return subs[0]
}

// uprightExif returns the Exif block for the upright picture, without its thumbnail. It moves nothing, because makers'
// notes contain offsets in formats that are not documented.
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
		swapInline(block, d, tagImageWidth, tagImageLength) // of telephones
		if sub := d.exif(); sub != nil {
			swapInline(block, sub, tagPixelsAcross, tagPixelsDown)
		}
	}
	return withoutThumbnail(block, f, d)
}

// swapInline exchanges the types, counts and values (or offsets of values) of two tags, if both exist.
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

// withoutThumbnail removes the link to the second directory, and clears the thumbnail that it points to. If the
// thumbnail is at the end, it is cut off. Bytes that are also part of something else stay, and so does the place of
// everything.
func withoutThumbnail(block []byte, f *tiffFile, d *ifd) []byte {
	kept := usedRanges(nil, d, 0)
	defer func() { blankPictures(block) }()
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
		if err1 != nil || err2 != nil || len(at) != 1 || len(n) != 1 || at[0] < 8 || !f.holds(at[0], n[0]) ||
			int(at[0]+n[0]) > len(block) {
			continue
		}
		from, to := int(at[0]), int(at[0]+n[0])
		to = from + pictureSize(block[from:to])
		clean := clearUnused(block, from, to, kept)
		if clean && to == len(block) && int64(at[0]) > second.nextAt+4 {
			block = block[:from]
		}
	}
	return block
}

// pictureSize returns how many of the bytes belong to a JPEG file at their beginning, with padding. Some cameras
// declare more bytes than their thumbnail has, and the values of a maker's note follow it. It returns len(p) if there
// is no JPEG file.
func pictureSize(p []byte) int {
	if !bytes.HasPrefix(p, []byte(jpegSignature)) {
		return len(p)
	}
	n := scanJPEG(p).trailerAt
	if n == 0 || len(bytes.Trim(p[n:], "\x00")) == 0 {
		return len(p)
	}
	return n
}

// clearUnused overwrites block[from:to] with zeros, except for the ranges that are kept. It reports whether there were
// none.
func clearUnused(block []byte, from, to int, kept [][2]int) bool {
	clean := true
	for i := from; i < to; {
		if j := slices.IndexFunc(kept, func(r [2]int) bool { return r[0] <= i && i < r[1] }); j >= 0 {
			i, clean = min(to, kept[j][1]), false
			continue
		}
		next := to
		for _, r := range kept {
			if r[0] > i {
				next = min(next, r[0])
			}
		}
		clear(block[i:next])
		i = next
	}
	return clean
}

// usedRanges adds where a directory, its values and the directories inside it are.
func usedRanges(list [][2]int, d *ifd, depth int) [][2]int {
	if d.nextAt > 0 {
		start := d.nextAt - int64(len(d.entries))*d.entrySize() - d.countSize()
		list = append(list, [2]int{int(start), int(d.nextAt + d.inlineSize())})
	}
	for i := range d.entries {
		e := &d.entries[i]
		if at, size, err := d.extent(e); err == nil && at > 0 && size > 0 {
			list = append(list, [2]int{int(at), int(at + size)})
		}
		if !e.pointsToDirectories() || depth == maxDepth {
			continue
		}
		subs, err := d.subs(e)
		for _, s := range subs {
			if err == nil && len(list) < maxItems {
				list = usedRanges(list, s, depth+1)
			}
		}
	}
	return list
}
