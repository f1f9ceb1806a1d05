package imageio

import (
	"encoding/binary"
	"slices"
)

// imageJKind is all items of one kind in the metadata of ImageJ.
type imageJKind struct {
	name  string // four letters
	sizes []byte // of the items, four bytes each
	items []byte
}

// isRegion reports whether the items mark places in the picture: the selection, and the overlay.
func (k imageJKind) isRegion() bool { return k.name == "roi " || k.name == "over" }

// withoutRegions returns the tags without the regions of ImageJ, and whether there were some. Tags that cannot be read
// are kept.
func (d directory) withoutRegions(order binary.ByteOrder) (out directory, had bool) {
	all := d.imageJKinds(order)
	kept := slices.DeleteFunc(slices.Clone(all), imageJKind.isRegion)
	if len(kept) == len(all) {
		return d, false
	}
	out = d.without(tagImageJCounts, tagImageJ)
	if len(kept) > 0 {
		out = out.with(imageJTags(order, d.find(tagImageJ).typ, kept)...)
	}
	return out, true
}

// imageJMark begins the metadata of ImageJ.
const imageJMark = "IJIJ"

// imageJKinds reads the metadata of ImageJ as its class ij.io.TiffEncoder writes it. One tag holds the mark, four
// letters and the number of items for each kind, and then the items. The other holds the size of this head and of each
// item. The result is nil if the tags do not fit this.
func (d directory) imageJKinds(order binary.ByteOrder) (kinds []imageJKind) {
	counts, data := d.find(tagImageJCounts), d.find(tagImageJ)
	if counts == nil || data == nil || counts.typ != typeLong || len(counts.data) < 4 || len(counts.data)%4 != 0 ||
		typeSizes[data.typ] != 1 {
		return nil
	}
	end := uint64(order.Uint32(counts.data))
	if end < 12 || end%8 != 4 || end > uint64(len(data.data)) || letters(order, data.data) != imageJMark {
		return nil
	}
	sizes, items := counts.data[4:], data.data[end:]
	for head := data.data[4:end]; len(head) > 0; head = head[8:] {
		n := uint64(order.Uint32(head[4:]))
		if n > uint64(len(sizes)/4) {
			return nil
		}
		k := imageJKind{name: letters(order, head), sizes: sizes[:4*n]}
		length := uint64(0)
		for size := range slices.Chunk(k.sizes, 4) {
			length += uint64(order.Uint32(size))
		}
		if length > uint64(len(items)) {
			return nil
		}
		k.items, items, sizes = items[:length], items[length:], sizes[4*n:]
		kinds = append(kinds, k)
	}
	return kinds
}

// imageJTags returns the two tags for the metadata of ImageJ. The items have type typ.
func imageJTags(order binary.ByteOrder, typ uint16, kinds []imageJKind) directory {
	to := order.(binary.AppendByteOrder)
	head := to.AppendUint32(nil, fromLetters(imageJMark))
	sizes, items := to.AppendUint32(nil, uint32(4+8*len(kinds))), []byte(nil)
	for _, k := range kinds {
		head = to.AppendUint32(to.AppendUint32(head, fromLetters(k.name)), uint32(len(k.sizes)/4))
		sizes, items = append(sizes, k.sizes...), append(items, k.items...)
	}
	items = append(head, items...)
	return directory{{id: tagImageJCounts, typ: typeLong, count: uint64(len(sizes) / 4), data: sizes},
		{id: tagImageJ, typ: typ, count: uint64(len(items)), data: items}}
}

// letters returns the four letters that begin b. They were written as a number.
func letters(order binary.ByteOrder, b []byte) string {
	return string(binary.BigEndian.AppendUint32(nil, order.Uint32(b)))
}

// fromLetters returns the number for four letters.
func fromLetters(text string) uint32 { return binary.BigEndian.Uint32([]byte(text)) }
