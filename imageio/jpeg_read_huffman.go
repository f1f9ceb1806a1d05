package imageio

import "encoding/binary"

// huffmanLook is the length in bits of the codes that one table look-up decodes.
const huffmanLook = 9

// huffmanDecoder decodes the codes of a Huffman table (T.81, section F.2.2.3).
type huffmanDecoder struct {
	look   [1 << huffmanLook]uint16 // by the next bits: length of the code << 8 | value, or 0 for a longer code
	limit  [17]int32                // by length: the first number that is not a code, counted in 16 bits
	first  [17]int32                // by length: the first code
	offset [17]int32                // by length: index of its value
	values []byte
}

// newHuffmanDecoder returns nil if the counts of codes do not describe a prefix code.
func newHuffmanDecoder(counts []byte, values []byte) *huffmanDecoder {
	h := &huffmanDecoder{values: values}
	code, index := int32(0), int32(0)
	for length := 1; length <= 16; length++ {
		n := int32(counts[length-1])
		if code+n > 1<<length || int(index+n) > len(values) {
			return nil
		}
		h.first[length], h.offset[length] = code, index
		for range n {
			if spare := huffmanLook - length; spare >= 0 {
				for i := range int32(1) << spare {
					h.look[code<<spare+i] = uint16(length<<8) | uint16(values[index])
				}
			}
			code, index = code+1, index+1
		}
		h.limit[length] = code << (16 - length)
		code <<= 1
	}
	return h
}

// standardDecoders returns the tables of annex K, which files may leave out. The order is DC and AC of luma, then DC
// and AC of chroma.
func standardDecoders() (d [4]*huffmanDecoder) {
	for i, t := range huffmanTables {
		d[i] = newHuffmanDecoder(t.counts[:], []byte(t.values))
	}
	return d
}

// scanBytes reads the bytes of a scan, up to a marker.
type scanBytes struct {
	data []byte
	at   int // next byte of data
}

// next returns the next byte of the scan, or false at a marker or the end of the data.
func (r *scanBytes) next() (byte, bool) {
	if r.at >= len(r.data) {
		return 0, false
	}
	b := r.data[r.at]
	if b != 0xff {
		r.at++
		return b, true
	}
	end := r.at + 1
	for end < len(r.data) && r.data[end] == 0xff { // fill bytes
		end++
	}
	if end >= len(r.data) || r.data[end] != 0 {
		return 0, false
	}
	r.at = end + 1
	return b, true
}

// bitReader reads the bits of a scan. It stops at a marker and then delivers zeros, which overrun reports.
type bitReader struct {
	scanBytes
	bits   uint64 // bits that have been read from data, the next one most significant of the last count
	count  uint
	zeros  uint // number of zeros that were added after the end
	failed bool // a code was not in its table
}

// fill makes at least 57 bits available. Eight bytes without a marker are read at once.
func (r *bitReader) fill() {
	if r.at+8 <= len(r.data) {
		v := binary.BigEndian.Uint64(r.data[r.at:])
		const ones, tops = 0x0101010101010101, 0x8080808080808080
		if (^v-ones)&v&tops == 0 { // no byte of ^v is zero
			n := (64 - r.count) / 8
			r.bits = r.bits<<(8*n) | v>>(64-8*n)
			r.at, r.count = r.at+int(n), r.count+8*n
			return
		}
	}
	for r.count <= 56 {
		b, ok := r.next()
		if !ok {
			r.zeros += 8
		}
		r.bits, r.count = r.bits<<8|uint64(b), r.count+8
	}
}

// overrun reports whether more bits were used than the scan has.
func (r *bitReader) overrun() bool { return r.zeros > r.count }

// take returns the next n bits, at most 16. The caller has called fill for them.
func (r *bitReader) take(n uint) int32 {
	r.count -= n
	return int32(r.bits>>r.count) & (1<<n - 1)
}

// bit returns the next bit.
func (r *bitReader) bit() int32 {
	if r.count == 0 {
		r.fill()
	}
	return r.take(1)
}

// number returns the n bits of a coefficient with its sign (section F.2.2.1, EXTEND).
func (r *bitReader) number(n uint) int32 {
	return extended(r.take(n), n)
}

// extended returns the number of n bits v. It has no branch, since signs cannot be predicted.
func extended(v int32, n uint) int32 {
	negative := (v - 1<<n>>1) >> 31 // all ones, or 0
	return v + negative&(-1<<n+1)
}

// symbol decodes a value. Afterwards at least 16 bits are available for take.
func (r *bitReader) symbol(h *huffmanDecoder) byte {
	if r.count < 32 {
		r.fill()
	}
	if e := h.look[r.bits>>(r.count-huffmanLook)&(1<<huffmanLook-1)]; e != 0 {
		r.count -= uint(e >> 8)
		return byte(e)
	}
	next := int32(r.bits >> (r.count - 16) & 0xffff)
	for length := huffmanLook + 1; length <= 16; length++ {
		if next < h.limit[length] {
			r.count -= uint(length)
			return h.values[h.offset[length]+next>>(16-length)-h.first[length]]
		}
	}
	r.count -= 17 // as libjpeg does
	r.failed = true
	return 0
}
