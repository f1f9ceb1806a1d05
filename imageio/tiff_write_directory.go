package imageio

import (
	"encoding/binary"
	"math"
)

// tiffForm is the form of a file: TIFF or BigTIFF, in either byte order.
type tiffForm struct {
	order binary.ByteOrder
	big   bool
}

func (f tiffForm) sizes() *tiffFile { return &tiffFile{big: f.big} }

// headerSize returns the bytes of the header of a file.
func (f tiffForm) headerSize() int64 { return f.sizes().sized(8, 16) }

// fits refuses a file of a length that offsets of 32 bits do not reach.
func (f tiffForm) fits(end int64) error {
	if !f.big && end > math.MaxUint32-(1<<16) {
		return failf(ErrLimit, "the pages do not fit in a TIFF file of 4 GiB")
	}
	return nil
}

// header returns the header of a file whose first directory is at an offset.
func (f tiffForm) header(first int64) []byte {
	mark := "II"
	if f.order == binary.ByteOrder(binary.BigEndian) {
		mark = "MM"
	}
	a := f.order.(binary.AppendByteOrder)
	b := []byte(mark)
	if f.big {
		b = a.AppendUint16(a.AppendUint16(a.AppendUint16(b, 43), 8), 0)
		return a.AppendUint64(b, uint64(first))
	}
	return a.AppendUint32(a.AppendUint16(b, 42), uint32(first))
}

// size returns the bytes of a directory with everything that it points to, except for values that have their place.
func (f tiffForm) size(d directory) int64 {
	s := f.sizes()
	n := s.countSize() + int64(len(d))*s.entrySize() + s.inlineSize()
	for _, t := range d {
		if bytes := f.valueSize(t); bytes > s.inlineSize() && t.place == 0 {
			n += even(bytes)
		}
		for _, sub := range t.subs {
			n += f.size(sub)
		}
	}
	return even(n)
}

func (f tiffForm) valueSize(t tag) int64 {
	if t.subs != nil {
		return int64(len(t.subs)) * f.sizes().inlineSize()
	}
	return int64(len(t.data))
}

// even rounds up to an even number. Values and directories begin at even offsets.
func even(n int64) int64 { return n + n&1 }

// put returns the bytes of a directory that will be at offset at, which must be even: the entries, the offset of the
// next directory, then the values and the directories inside. A value that has its place is not among them.
func (f tiffForm) put(d directory, at, next int64) []byte {
	a, s := f.order.(binary.AppendByteOrder), f.sizes()
	free := at + s.countSize() + int64(len(d))*s.entrySize() + s.inlineSize()
	var b, values []byte
	if f.big {
		b = a.AppendUint64(b, uint64(len(d)))
	} else {
		b = a.AppendUint16(b, uint16(len(d)))
	}
	if free&1 == 1 {
		values, free = append(values, 0), free+1
	}
	for _, t := range d {
		var subs []byte
		if t.subs != nil {
			t, subs = f.pointers(t, free)
		}
		b = a.AppendUint16(a.AppendUint16(b, t.id), t.typ)
		b = f.appendOffset(b, int64(t.count))
		if int64(len(t.data)) <= s.inlineSize() {
			b = append(append(b, t.data...), make([]byte, s.inlineSize()-int64(len(t.data)))...)
		} else if t.place > 0 {
			b = f.appendOffset(b, t.place)
		} else {
			b = f.appendOffset(b, free)
			values = append(values, t.data...)
			if len(t.data)&1 == 1 {
				values = append(values, 0)
			}
			free += even(int64(len(t.data)))
		}
		values, free = append(values, subs...), free+int64(len(subs))
	}
	b = f.appendOffset(b, next)
	if b = append(b, values...); len(b)&1 == 1 {
		b = append(b, 0)
	}
	return b
}

// pointers returns the tag with offsets in place of its directories, and the bytes of those directories. They follow
// the value of the tag, which will be at offset free.
func (f tiffForm) pointers(t tag, free int64) (tag, []byte) {
	out := tag{id: t.id, typ: typeLong, count: uint64(len(t.subs))}
	if f.big {
		out.typ = typeIFD8
	} else if t.typ == typeIFD {
		out.typ = typeIFD
	}
	if n := f.valueSize(t); n > f.sizes().inlineSize() {
		free += even(n)
	}
	var subs []byte
	for _, sub := range t.subs {
		out.data = f.appendOffset(out.data, free+int64(len(subs)))
		subs = append(subs, f.put(sub, free+int64(len(subs)), 0)...)
	}
	return out, subs
}

func (f tiffForm) appendOffset(b []byte, v int64) []byte {
	a := f.order.(binary.AppendByteOrder)
	if f.big {
		return a.AppendUint64(b, uint64(v))
	}
	return a.AppendUint32(b, uint32(v))
}
