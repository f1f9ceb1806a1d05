package imageio

import (
	"encoding/binary"
	"math"
)

// ifd is an image file directory, the table of tags in TIFF 6.0 (Aldus, 1992, section 2). Tags are
// looked up in the bytes of the file: nothing is allocated for what the file merely declares.
type ifd struct {
	data    []byte
	order   binary.ByteOrder
	entries []byte // 12 bytes each
	next    uint32 // offset of the next directory, or 0
}

const ifdEntry = 12

// tiffHeader gives the byte order and the offset of the first directory.
func tiffHeader(data []byte) (binary.ByteOrder, uint32, error) {
	if len(data) < 8 {
		return nil, 0, truncated(TIFF)
	}
	var order binary.ByteOrder
	switch string(data[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return nil, 0, damagedf(TIFF, "bad header")
	}
	return order, order.Uint32(data[4:]), nil
}

func parseIFD(data []byte, order binary.ByteOrder, offset uint32) (*ifd, error) {
	size, at := uint64(len(data)), uint64(offset)
	if at < 8 || at+2 > size {
		return nil, damagedf(TIFF, "directory outside the file")
	}
	n := uint64(order.Uint16(data[at:]))
	end := at + 2 + n*ifdEntry
	if end+4 > size {
		return nil, damagedf(TIFF, "directory outside the file")
	}
	return &ifd{data: data, order: order, entries: data[at+2 : end], next: order.Uint32(data[end:])}, nil
}

// find returns the 12 bytes of a tag, or nil.
func (d *ifd) find(tag uint16) []byte {
	for e := d.entries; len(e) >= ifdEntry; e = e[ifdEntry:] {
		if d.order.Uint16(e) == tag {
			return e[:ifdEntry]
		}
	}
	return nil
}

// count is the number of values that a tag declares.
func (d *ifd) count(tag uint16) uint32 {
	if e := d.find(tag); e != nil {
		return d.order.Uint32(e[4:])
	}
	return 0
}

func (d *ifd) has(tag uint16) bool { return d.find(tag) != nil }

// uints reads an array of BYTE, SHORT or LONG values; nil if the tag is absent. The values lie in
// the file, so the result is at most four times as large as it.
func (d *ifd) uints(tag uint16) ([]uint32, error) {
	e := d.find(tag)
	if e == nil {
		return nil, nil
	}
	size := map[uint16]uint64{1: 1, 3: 2, 4: 4}[d.order.Uint16(e[2:])]
	if size == 0 {
		return nil, damagedf(TIFF, "tag %d has a wrong type", tag)
	}
	count := uint64(d.order.Uint32(e[4:]))
	raw := e[8:]
	if size*count > 4 {
		at := uint64(d.order.Uint32(e[8:]))
		if at+size*count > uint64(len(d.data)) {
			return nil, damagedf(TIFF, "tag %d lies outside the file", tag)
		}
		raw = d.data[at:]
	}
	v := make([]uint32, count)
	for i := range v {
		switch size {
		case 1:
			v[i] = uint32(raw[i])
		case 2:
			v[i] = uint32(d.order.Uint16(raw[2*i:]))
		case 4:
			v[i] = d.order.Uint32(raw[4*i:])
		}
	}
	return v, nil
}

// uint reads the first value of a tag, or gives def if it is absent.
func (d *ifd) uint(tag uint16, def uint32) (uint32, error) {
	v, err := d.uints(tag)
	if err != nil {
		return 0, err
	}
	if len(v) == 0 {
		return def, nil
	}
	return v[0], nil
}

// maxPages is where counting stops: the count is only for a message.
const maxPages = math.MaxUint16

// pages counts the directories of the chain that starts with d.
func (d *ifd) pages() (int, error) {
	seen := map[uint32]bool{}
	n := 1
	for next := d.next; next != 0 && n < maxPages; n++ {
		if seen[next] {
			return 0, damagedf(TIFF, "directories form a loop")
		}
		seen[next] = true
		page, err := parseIFD(d.data, d.order, next)
		if err != nil {
			return 0, err
		}
		next = page.next
	}
	return n, nil
}
