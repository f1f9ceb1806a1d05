package imageio

// Codes of LZW (TIFF 6.0, section 13).
const (
	lzwClear = 256
	lzwEnd   = 257
	lzwFirst = 258
	lzwLast  = 4093 // the last entry of the table; the codes after it mean different things to different readers

	lzwSlots = 1 << 14 // of the hash table, four for each entry
)

// lzwWriter compresses with LZW as TIFF has it: the codes grow one entry earlier than in GIF, and their first bit is
// the most significant one.
type lzwWriter struct {
	table [lzwSlots]uint32 // 12 bits of prefix, 8 bits of byte, 12 bits of code; 0 is free
	out   []byte
	bits  uint32
	have  uint
	width uint
	next  uint32 // the next free entry
}

// encode returns the compressed bytes. They are valid until the next call.
func (w *lzwWriter) encode(p []byte) []byte {
	w.out, w.bits, w.have = w.out[:0], 0, 0
	w.width = 9
	w.clear()
	if len(p) > 0 {
		code := uint32(p[0])
		for _, b := range p[1:] {
			code = w.extend(code, b)
		}
		w.emit(code)
		w.count()
	}
	w.emit(lzwEnd)
	if w.have > 0 {
		w.out = append(w.out, byte(w.bits<<(8-w.have)))
	}
	return w.out
}

// extend returns the code of a string that is one byte longer. If there is none, it writes the code of the string,
// enters the longer one in the table, and returns the code of the byte.
func (w *lzwWriter) extend(code uint32, b byte) uint32 {
	key := code<<8 | uint32(b)
	slot := (key*2654435761>>18 ^ key) % lzwSlots
	for w.table[slot] != 0 {
		if w.table[slot]>>12 == key {
			return w.table[slot] & (1<<12 - 1)
		}
		slot = (slot + 1) % lzwSlots
	}
	w.emit(code)
	w.table[slot] = key<<12 | w.next
	w.count()
	return uint32(b)
}

// count counts an entry of the table.
func (w *lzwWriter) count() {
	switch w.next++; {
	case w.next > lzwLast:
		w.clear()
	case w.next == 1<<w.width: // readers are one entry behind
		w.width++
	}
}

// clear empties the table.
func (w *lzwWriter) clear() {
	w.emit(lzwClear)
	clear(w.table[:])
	w.next, w.width = lzwFirst, 9
}

func (w *lzwWriter) emit(code uint32) {
	w.bits, w.have = w.bits<<w.width|code, w.have+w.width
	for ; w.have >= 8; w.have -= 8 {
		w.out = append(w.out, byte(w.bits>>(w.have-8)))
	}
}
