package imageio

import (
	"encoding/binary"
	"slices"
)

// Kinds of items in the metadata of ImageJ that mark places in the picture: the selection, and the overlay.
const (
	regionSelection = "roi "
	regionOverlay   = "over"
)

// withoutRegions returns the tags without the regions of ImageJ, and whether there were some. One tag holds the word IJIJ, four letters and a
// number for each kind of item, and then the items. The other holds the bytes of this head and of each item. Tags that do not fit this are kept.
func (d directory) withoutRegions(order binary.ByteOrder) (out directory, had bool) {
	sizes, items := d.find(tagImageJCounts), d.find(tagImageJ)
	if sizes == nil || items == nil || sizes.typ != typeLong || len(sizes.data) < 4 || len(sizes.data)%4 != 0 || typeSizes[items.typ] != 1 {
		return d, false
	}
	size := func(i int) uint64 { return uint64(order.Uint32(sizes.data[4*i:])) }
	head := size(0)
	if head < 12 || head%8 != 4 || head > uint64(len(items.data)) || letters(order, items.data) != "IJIJ" {
		return d, false
	}
	newHead, newSizes, kept := slices.Clone(items.data[:4]), []byte{0, 0, 0, 0}, []byte(nil)
	at, item := head, 1
	for kind := items.data[4:head]; len(kind) > 0; kind = kind[8:] {
		n := uint64(order.Uint32(kind[4:]))
		if n > uint64(len(sizes.data)/4-item) {
			return d, false
		}
		from, first := at, item
		for ; n > 0; n-- {
			at += size(item)
			item++
		}
		if at > uint64(len(items.data)) {
			return d, false
		}
		if name := letters(order, kind); name == regionSelection || name == regionOverlay {
			had = true
			continue
		}
		newHead = append(newHead, kind[:8]...)
		newSizes = append(newSizes, sizes.data[4*first:4*item]...)
		kept = append(kept, items.data[from:at]...)
	}
	if !had {
		return d, false
	}
	out = d.without(tagImageJCounts, tagImageJ)
	if len(newHead) == 4 {
		return out, true
	}
	order.PutUint32(newSizes, uint32(len(newHead)))
	kept = append(newHead, kept...)
	return out.with(tag{id: tagImageJCounts, typ: typeLong, count: uint64(len(newSizes) / 4), data: newSizes},
		tag{id: tagImageJ, typ: items.typ, count: uint64(len(kept)), data: kept}), true
}

// letters returns the four letters that begin b. They were written as a number.
func letters(order binary.ByteOrder, b []byte) string {
	var text [4]byte
	binary.BigEndian.PutUint32(text[:], order.Uint32(b))
	return string(text[:])
}
