package imageio

import (
	"encoding/binary"
	"io"
	"math"
)

// tiffFile is a file with the structure of TIFF: TIFF 6.0 (Aldus, 1992), BigTIFF or an Exif block. Its parts are read
// when they are needed.
type tiffFile struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	big   bool // BigTIFF: 64-bit offsets and counts
	first uint64
}

// openTIFF reads the header.
func openTIFF(r io.ReaderAt, size int64) (*tiffFile, error) {
	f := &tiffFile{r: r, size: size, order: binary.LittleEndian}
	head, err := f.bytes(0, 8)
	if err != nil {
		return nil, truncated(TIFF)
	}
	switch string(head[:4]) {
	case "MM\x00*":
		f.order = binary.BigEndian
		fallthrough
	case "II*\x00":
		f.first = uint64(f.order.Uint32(head[4:]))
		return f, nil
	case "MM\x00+":
		f.order = binary.BigEndian
	case "II+\x00":
	default:
		return nil, damagedf(TIFF, "bad header")
	}
	f.big = true
	if f.order.Uint16(head[4:]) != 8 || f.order.Uint16(head[6:]) != 0 {
		return nil, damagedf(TIFF, "bad header")
	}
	if head, err = f.bytes(8, 8); err != nil {
		return nil, truncated(TIFF)
	}
	f.first = f.order.Uint64(head)
	return f, nil
}

// bytes reads n bytes at an offset. It allocates nothing if they are not all inside the file.
func (f *tiffFile) bytes(at, n uint64) ([]byte, error) {
	if !f.holds(at, n) {
		return nil, truncated(TIFF)
	}
	b := make([]byte, n)
	if got, err := f.r.ReadAt(b, int64(at)); got < len(b) {
		return nil, readError(err)
	}
	return b, nil
}

func (f *tiffFile) holds(at, n uint64) bool {
	return n <= uint64(f.size) && at <= uint64(f.size)-n
}

// readError turns the end of the file into ErrFormat: the file has become shorter. It returns other errors unchanged.
func readError(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return truncated(TIFF)
	}
	return err
}

// entrySize returns the bytes of an entry of a directory.
func (f *tiffFile) entrySize() int64 { return f.sized(12, 20) }

// inlineSize returns the bytes of a value that fits in the entry. An offset has the same size.
func (f *tiffFile) inlineSize() int64 { return f.sized(4, 8) }

// countSize returns the bytes of the number of entries.
func (f *tiffFile) countSize() int64 { return f.sized(2, 8) }

func (f *tiffFile) sized(small, big int64) int64 {
	if f.big {
		return big
	}
	return small
}

// offset reads a 32-bit or 64-bit number.
func (f *tiffFile) offset(b []byte) uint64 {
	if f.big {
		return f.order.Uint64(b)
	}
	return uint64(f.order.Uint32(b))
}

// Types of values (TIFF 6.0, section 2, and BigTIFF).
const (
	typeByte           = 1
	typeASCII          = 2
	typeShort          = 3
	typeLong           = 4
	typeRational       = 5
	typeSignedByte     = 6
	typeUndefined      = 7
	typeSignedShort    = 8
	typeSignedLong     = 9
	typeSignedRational = 10
	typeFloat          = 11
	typeDouble         = 12
	typeIFD            = 13
	typeLong8          = 16
	typeSignedLong8    = 17
	typeIFD8           = 18
)

var typeSizes = map[uint16]uint64{
	typeByte: 1, typeASCII: 1, typeShort: 2, typeLong: 4, typeRational: 8, typeSignedByte: 1, typeUndefined: 1,
	typeSignedShort: 2, typeSignedLong: 4, typeSignedRational: 8, typeFloat: 4, typeDouble: 8, typeIFD: 4,
	typeLong8: 8, typeSignedLong8: 8, typeIFD8: 8,
}

// entry is an entry of a directory in a file.
type entry struct {
	tag, typ uint16
	count    uint64
	inline   []byte // the value, or its offset
	at       int64  // offset of the entry itself
}

// ifd is an image file directory, a table of tags in a file. Values are read when they are needed.
type ifd struct {
	*tiffFile
	entries []entry
	next    uint64   // offset of the next directory, or 0
	nextAt  int64    // offset of the field that holds next
	dropped []uint16 // tags that were left out, see dropOutside
}

// maxTags limits the entries of a directory. Files usually have less than 200.
const maxTags = 4096

// tags returns the number of tags of the directory at an offset, all of which is in the file.
func (f *tiffFile) tags(at uint64) (n uint64, err error) {
	outside := damagedf(TIFF, "directory outside the file")
	if at < 8 || !f.holds(at, uint64(f.countSize())) {
		return 0, outside
	}
	head, err := f.bytes(at, uint64(f.countSize()))
	if err != nil {
		return 0, err
	}
	n = uint64(f.order.Uint16(head))
	if f.big {
		n = f.order.Uint64(head)
	}
	if n > maxTags {
		return 0, failf(ErrLimit, "TIFF directory of %d tags, limit is %d", n, maxTags)
	}
	if !f.holds(at+uint64(len(head)), n*uint64(f.entrySize())+uint64(f.inlineSize())) {
		return 0, outside
	}
	return n, nil
}

// directory reads the entries of the directory at an offset.
func (f *tiffFile) directory(at uint64) (*ifd, error) {
	n, err := f.tags(at)
	if err != nil {
		return nil, err
	}
	begin, table := at+uint64(f.countSize()), n*uint64(f.entrySize())
	b, err := f.bytes(begin, table+uint64(f.inlineSize()))
	if err != nil {
		return nil, err
	}
	d := &ifd{tiffFile: f, next: f.offset(b[table:]), nextAt: int64(begin + table)}
	for i := range int64(n) {
		e := b[i*f.entrySize():]
		d.entries = append(d.entries, entry{
			tag: f.order.Uint16(e), typ: f.order.Uint16(e[2:]), count: f.offset(e[4:]),
			inline: e[4+f.inlineSize() : f.entrySize()], at: int64(begin) + i*f.entrySize(),
		})
	}
	return d, nil
}

func (d *ifd) find(tag uint16) *entry {
	for i := range d.entries {
		if d.entries[i].tag == tag {
			return &d.entries[i]
		}
	}
	return nil
}

func (d *ifd) has(tag uint16) bool { return d.find(tag) != nil }

// count returns the number of values that a tag declares.
func (d *ifd) count(tag uint16) uint64 {
	if e := d.find(tag); e != nil {
		return e.count
	}
	return 0
}

// extent returns the size of a value in bytes and, if the value is not in the entry itself, its offset. The size is 0
// for an unknown type.
func (d *ifd) extent(e *entry) (at, size uint64, err error) {
	unit := typeSizes[e.typ]
	if unit == 0 {
		return 0, 0, nil
	}
	if e.count > math.MaxInt64/unit {
		return 0, 0, damagedf(TIFF, "tag %d lies outside the file", e.tag)
	}
	size = unit * e.count
	if size <= uint64(len(e.inline)) {
		return 0, size, nil
	}
	if at = d.offset(e.inline); !d.holds(at, size) {
		return 0, 0, damagedf(TIFF, "tag %d lies outside the file", e.tag)
	}
	return at, size, nil
}

// value reads the bytes of the first limit elements of a value.
func (d *ifd) value(e *entry, limit uint64) ([]byte, error) {
	at, size, err := d.extent(e)
	if err != nil {
		return nil, err
	}
	n := size
	if e.count > limit {
		n = limit * typeSizes[e.typ]
	}
	if size <= uint64(len(e.inline)) {
		return e.inline[:n], nil
	}
	return d.bytes(at, n)
}

// uints reads the first limit elements of an array of unsigned integers. It returns nil if the tag is absent.
func (d *ifd) uints(tag uint16, limit uint64) ([]uint64, error) {
	e := d.find(tag)
	if e == nil {
		return nil, nil
	}
	switch e.typ {
	case typeByte, typeShort, typeLong, typeLong8, typeIFD, typeIFD8:
	default:
		return nil, damagedf(TIFF, "tag %d has a wrong type", tag)
	}
	raw, err := d.value(e, limit)
	if err != nil {
		return nil, err
	}
	v := make([]uint64, min(e.count, limit))
	for i := range v {
		switch typeSizes[e.typ] {
		case 1:
			v[i] = uint64(raw[i])
		case 2:
			v[i] = uint64(d.order.Uint16(raw[2*i:]))
		case 4:
			v[i] = uint64(d.order.Uint32(raw[4*i:]))
		case 8:
			v[i] = d.order.Uint64(raw[8*i:])
		}
	}
	return v, nil
}

// uint reads the first element of a tag, or returns def if the tag is absent. Values of more than 32 bits are returned
// as the largest uint32, which no tag that is read with it can have.
func (d *ifd) uint(tag uint16, def uint32) (uint32, error) {
	v, err := d.uints(tag, 1)
	if err != nil {
		return 0, err
	}
	if len(v) == 0 {
		return def, nil
	}
	return uint32(min(v[0], math.MaxUint32)), nil
}

// fractions reads the first limit elements of an array of rationals or integers. It returns nil if the tag is absent.
func (d *ifd) fractions(tag uint16, limit uint64) ([]float64, error) {
	e := d.find(tag)
	if e == nil {
		return nil, nil
	}
	if e.typ != typeRational {
		list, err := d.uints(tag, limit)
		var v []float64
		for _, n := range list {
			v = append(v, float64(n))
		}
		return v, err
	}
	raw, err := d.value(e, limit)
	if err != nil {
		return nil, err
	}
	var v []float64
	for ; len(raw) >= 8; raw = raw[8:] {
		v = append(v, float64(d.order.Uint32(raw))/max(1, float64(d.order.Uint32(raw[4:]))))
	}
	return v, nil
}
