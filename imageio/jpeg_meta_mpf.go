package imageio

import (
	"encoding/binary"
	"slices"
)

// Tags of the list of pictures in a file (CIPA DC-007, Multi-Picture Format), and the kinds of picture.
const (
	tagMPFCount   = 45057
	tagMPFEntries = 45058

	mpfEntrySize = 16
	mpfKinds     = 0xffff00
	mpfThumbnail = 0x010000 // a large thumbnail
)

// mpfIndex lists the pictures of a file. The first is the picture that the file shows.
type mpfIndex struct {
	block   []byte // with the structure of a TIFF file
	order   binary.ByteOrder
	count   int // offsets in the block: of the number of pictures, of the size of the list, and of the list
	bytes   int
	list    int
	entries []mpfEntry
}

// mpfEntry is a picture of the list. Its place is counted from the beginning of what follows the first picture; it is
// negative for a picture that is not there.
type mpfEntry struct {
	raw      []byte
	at, size int
}

// readMPF reads the list. It returns nil if there is none that can be read.
func readMPF(block []byte) *mpfIndex {
	f, d := exifDirectory(block)
	if d == nil {
		return nil
	}
	count, list := d.find(tagMPFCount), d.find(tagMPFEntries)
	if count == nil || list == nil || count.typ != typeLong || count.count != 1 || list.typ != typeUndefined ||
		list.count%mpfEntrySize != 0 || list.count < mpfEntrySize {
		return nil
	}
	at, size, err := d.extent(list)
	if err != nil || size > uint64(len(block)) {
		return nil
	}
	m := &mpfIndex{block: slices.Clone(block), order: f.order, count: int(count.at) + 8, bytes: int(list.at) + 4,
		list: int(at)}
	for raw := range slices.Chunk(m.block[at:at+size], mpfEntrySize) {
		m.entries = append(m.entries, mpfEntry{raw: slices.Clone(raw)})
	}
	return m
}

// locate finds the pictures. The block begins at an offset from the end of the first picture; n bytes follow that. A
// picture of no bytes is not there.
func (m *mpfIndex) locate(block, n int) {
	for i := range m.entries {
		e := &m.entries[i]
		size, at := int64(m.order.Uint32(e.raw[4:])), int64(block)+int64(m.order.Uint32(e.raw[8:]))
		if e.at = -1; i > 0 && at >= 0 && size > 0 && size <= int64(n) && at <= int64(n)-size {
			e.at, e.size = int(at), int(size)
		}
	}
}

// drop removes pictures from the list that are not there, and those that do not belong to the new picture: previews,
// and if they no longer fit, maps of light or depth, which are pictures of no declared kind. It returns where they are,
// and how many are maps.
func (m *mpfIndex) drop(dropMaps bool) (cut [][2]int, maps int) {
	keep := m.entries[:1]
	numbers := map[uint16]uint16{1: 1}
	for i, e := range m.entries[1:] {
		kind := m.order.Uint32(e.raw) & mpfKinds
		lost := e.at < 0
		isMap := kind == 0 && dropMaps
		if !lost && (kind == mpfThumbnail || isMap) {
			cut, lost = append(cut, [2]int{e.at, e.at + e.size}), true
			if isMap {
				maps++
			}
		}
		if !lost {
			keep = append(keep, e)
			numbers[uint16(i+2)] = uint16(len(keep))
		}
	}
	m.entries = keep
	for _, e := range m.entries {
		for _, p := range [][]byte{e.raw[12:], e.raw[14:]} { // numbers of pictures that belong to this one
			m.order.PutUint16(p, numbers[m.order.Uint16(p)])
		}
	}
	return cut, maps
}

// move changes the places of the pictures, because ranges were removed.
func (m *mpfIndex) move(cut [][2]int) {
	for i := range m.entries {
		e := &m.entries[i]
		less := 0
		for _, r := range cut {
			if r[1] <= e.at {
				less += r[1] - r[0]
			}
		}
		e.at -= less
	}
}

// put writes the list into dst, which is the block in the new file. It begins at an offset of the file, and the first
// picture ends at another.
func (m *mpfIndex) put(dst []byte, at, end int) {
	copy(dst, m.block)
	m.order.PutUint32(dst[m.count:], uint32(len(m.entries)))
	m.order.PutUint32(dst[m.bytes:], uint32(len(m.entries)*mpfEntrySize))
	for i, e := range m.entries {
		raw := dst[m.list+i*mpfEntrySize:][:mpfEntrySize]
		copy(raw, e.raw)
		if i == 0 {
			m.order.PutUint32(raw[4:], uint32(end))
			continue
		}
		m.order.PutUint32(raw[8:], uint32(end+e.at-at))
	}
}
