package losslessjpeg

import "encoding/binary"

// look is the length in bits of the codes that one look-up decodes.
const look = 10

// table decodes the codes of a Huffman table (T.81, section F.2.2.3).
type table struct {
	look   [1 << look]uint16 // by the next bits: length of the code << 8 | category, or 0 for a longer code
	limit  [17]int32         // by length: the first number that is not a code, counted in 16 bits
	first  [17]int32         // by length: the first code
	offset [17]int32         // by length: index of its category
	values []byte
}

// newTable returns the table for counts of codes by their lengths, and their categories in order.
func newTable(counts [16]byte, values []byte) (*table, error) {
	t := &table{values: values}
	code, index := int32(0), int32(0)
	for length := 1; length <= 16; length++ {
		n := int32(counts[length-1])
		if code+n > 1<<length {
			return nil, badf("bad Huffman table")
		}
		t.first[length], t.offset[length] = code, index
		for range n {
			if values[index] >= categories {
				return nil, badf("bad Huffman table")
			}
			if spare := look - length; spare >= 0 {
				for i := range int32(1) << spare {
					t.look[code<<spare+i] = uint16(length<<8) | uint16(values[index])
				}
			}
			code, index = code+1, index+1
		}
		t.limit[length] = code << (16 - length)
		code <<= 1
	}
	return t, nil
}

// difference decodes a difference, which is added modulo 2^16.
func (t *table) difference(r *reader) uint16 {
	if r.count < 32 {
		r.fill()
	}
	var n uint
	if e := t.look[r.bits>>(r.count-look)&(1<<look-1)]; e != 0 {
		r.count -= uint(e >> 8)
		n = uint(e & 0xff)
	} else if n = t.long(r); r.failed {
		return 0
	}
	if n == 16 { // 32768, without further bits
		return 1 << 15
	}
	r.count -= n
	v := int32(r.bits>>r.count) & (1<<n - 1)
	negative := (v - 1<<n>>1) >> 31 // all ones, or 0
	return uint16(v + negative&(-1<<n+1))
}

// long decodes a category with a long code.
func (t *table) long(r *reader) uint {
	next := int32(r.bits >> (r.count - 16) & 0xffff)
	for length := look + 1; length <= 16; length++ {
		if next < t.limit[length] {
			r.count -= uint(length)
			return uint(t.values[t.offset[length]+next>>(16-length)-t.first[length]])
		}
	}
	r.failed = true
	return 0
}

// reader reads the bits of a scan. It stops at a marker and then delivers zeros, which overrun reports.
type reader struct {
	data   []byte // that is not read yet
	bits   uint64 // that have been read from data, the next one most significant of the last count
	count  uint
	zeros  uint // that were added after the end
	failed bool // a code was not in its table
}

// fill makes at least 57 bits available. Eight bytes without a marker are read at once.
func (r *reader) fill() {
	if len(r.data) >= 8 {
		v := binary.BigEndian.Uint64(r.data)
		const ones, tops = 0x0101010101010101, 0x8080808080808080
		if (^v-ones)&v&tops == 0 { // no byte of ^v is zero
			n := (64 - r.count) / 8
			r.bits = r.bits<<(8*n) | v>>(64-8*n)
			r.data, r.count = r.data[n:], r.count+8*n
			return
		}
	}
	for r.count <= 56 {
		var b byte
		switch {
		case len(r.data) > 0 && r.data[0] != 0xff:
			b, r.data = r.data[0], r.data[1:]
		case len(r.data) > 1 && r.data[1] == 0:
			b, r.data = 0xff, r.data[2:]
		default:
			r.zeros += 8
		}
		r.bits, r.count = r.bits<<8|uint64(b), r.count+8
	}
}

// overrun reports whether more bits were used than the scan has.
func (r *reader) overrun() bool { return r.zeros > r.count }

// restart goes on after the next restart marker, which must be here.
func (r *reader) restart() bool {
	unread := r.count - r.zeros // less than a byte of padding, if the marker is here
	if unread >= 8 || len(r.data) < 2 || r.data[0] != 0xff || r.data[1]&^7 != markerRST0 {
		return false
	}
	*r = reader{data: r.data[2:]}
	return true
}
