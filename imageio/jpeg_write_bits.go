package imageio

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"math/bits"
)

// bitWriter collects bits, the most significant first.
type bitWriter struct {
	out  []byte
	bits uint64 // the last of them, below have
	have uint8  // fewer than 32
}

func (w *bitWriter) reset() { w.out, w.bits, w.have = w.out[:0], 0, 0 }

// put adds up to 32 bits.
func (w *bitWriter) put(v uint32, size uint8) {
	w.bits, w.have = w.bits<<size|uint64(v), w.have+size
	if w.have >= 32 {
		w.have -= 32
		w.out = binary.BigEndian.AppendUint32(w.out, uint32(w.bits>>w.have))
	}
}

// add adds the bits of another.
func (w *bitWriter) add(other *bitWriter) {
	for i := 0; i < len(other.out); i += 4 {
		w.put(binary.BigEndian.Uint32(other.out[i:]), 32)
	}
	w.put(uint32(other.bits)&(1<<other.have-1), other.have)
}

// flush writes the whole bytes so far, with a zero byte after each 0xff. The bufio.Writer keeps errors.
func (w *bitWriter) flush(to *bufio.Writer) {
	rest := w.out
	for {
		i := bytes.IndexByte(rest, 0xff) + 1
		if i == 0 {
			break
		}
		to.Write(rest[:i])
		to.WriteByte(0)
		rest = rest[i:]
	}
	to.Write(rest)
	w.out = w.out[:0]
}

// end fills the last byte with ones and writes what is left.
func (w *bitWriter) end(to *bufio.Writer) {
	w.put(1<<7-1, 7)
	for ; w.have >= 8; w.have -= 8 {
		w.out = append(w.out, byte(w.bits>>(w.have-8)))
	}
	w.flush(to)
}

// huffmanCodes returns the codes of the Huffman tables.
func huffmanCodes() (codes [4]*[256]huffmanCode) {
	for i := range codes {
		codes[i] = huffmanTables[i].codes()
	}
	return codes
}

// code adds the coefficients of a block (T.81, section F.1.2). Before is the DC coefficient of the block before.
func (b *codedBlock) code(w *bitWriter, dc, ac *[256]huffmanCode, before int16) {
	putNumber(w, dc, 0, int32(b.coefficients[0])-int32(before))
	last := 0
	for left := b.others; left != 0; left &= left - 1 {
		at := bits.TrailingZeros64(left)
		run := at - last - 1
		for ; run > 15; run -= 16 {
			w.put(ac[0xf0].bits, ac[0xf0].size)
		}
		putNumber(w, ac, run, int32(b.coefficients[at]))
		last = at
	}
	if last < 63 {
		w.put(ac[0].bits, ac[0].size)
	}
}

// putNumber adds the code for a run of zeros and the size of v in bits, then the bits of v.
func putNumber(w *bitWriter, codes *[256]huffmanCode, run int, v int32) {
	sign := v >> 31 // -1 or 0
	size := bits.Len32(uint32((v ^ sign) - sign))
	c := codes[run<<4|size]
	w.put(c.bits<<size|uint32(v+sign)&(1<<size-1), c.size+uint8(size))
}
