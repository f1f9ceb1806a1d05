// Package dngtest draws DNG files for tests, as cameras write them: a thumbnail, notes with a maker's bytes, and the
// samples of a sensor.
package dngtest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/losslessjpeg"
)

// File is what a file has. The zero values of all but the size and the samples are usual ones.
type File struct {
	Width, Height int
	Samples       []uint16
	Colours       [4]byte // 0 red, 1 green, 2 blue; zero = red, green, green, blue
	Bits          int     // 0 = 14
	Big           bool    // byte order
	Store         Store
	Tile          int      // 0 = one strip
	Active        []uint32 // top, left, bottom, right
	Black         []uint32 // one or four
	White         uint32   // 0 = all bits
	Noise         []float64
	RawFirst      bool   // the raw picture is in the first directory
	Preview       []byte // a JPEG file of PreviewSide pixels; nil = none
	PreviewSide   uint32
	Raw, First    map[uint16]*Tag // further tags, or other ones; nil takes one away
}

// Store is how samples are stored.
type Store int

const (
	Plain    Store = iota // 8 or 16 bits
	Packed                // without gaps
	Lossless              // JPEG
	Deflated
)

// Tag is a value of a directory.
type Tag struct {
	Type  uint16
	Count int
	Value []byte
}

// Maker is the maker's note of each file.
const Maker = "a note of the maker, with offsets"

type writer struct {
	binary.AppendByteOrder
	binary.ByteOrder
	out []byte
}

func (w *writer) add(b []byte) uint32 {
	if len(w.out)%2 == 1 {
		w.out = append(w.out, 0)
	}
	at := uint32(len(w.out))
	w.out = append(w.out, b...)
	return at
}

// Bytes returns the file.
func (f File) Bytes() []byte {
	w := &writer{binary.LittleEndian, binary.LittleEndian, []byte("II*\x00\x00\x00\x00\x00")}
	if f.Big {
		w = &writer{binary.BigEndian, binary.BigEndian, []byte("MM\x00*\x00\x00\x00\x00")}
	}
	raw, first := f.rawTags(w), f.firstTags(w)
	if f.RawFirst {
		for id, t := range raw {
			first[id] = t
		}
	} else {
		subs := []uint32{w.directory(raw)}
		if f.Preview != nil {
			subs = append(subs, w.directory(f.previewTags(w)))
		}
		first[330] = f.Longs(subs...)
	}
	at := w.directory(first)
	w.PutUint32(w.out[4:], at)
	return w.out
}

func (f File) order() binary.AppendByteOrder {
	if f.Big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// Longs, Shorts, Rationals and Doubles return tags of these types.
func (f File) Longs(v ...uint32) *Tag {
	t := &Tag{4, len(v), nil}
	for _, n := range v {
		t.Value = f.order().AppendUint32(t.Value, n)
	}
	return t
}

func (f File) Shorts(v ...uint16) *Tag {
	t := &Tag{3, len(v), nil}
	for _, n := range v {
		t.Value = f.order().AppendUint16(t.Value, n)
	}
	return t
}

// Rationals have a sign and four decimals.
func (f File) Rationals(v ...float64) *Tag {
	const parts = 10000
	t := &Tag{10, len(v), nil}
	for _, n := range v {
		t.Value = append(t.Value, f.Longs(uint32(int32(math.Round(n*parts))), parts).Value...)
	}
	return t
}

func (f File) Doubles(v ...float64) *Tag {
	t := &Tag{12, len(v), nil}
	for _, n := range v {
		t.Value = f.order().AppendUint64(t.Value, math.Float64bits(n))
	}
	return t
}

// Octets returns a tag of bytes.
func (f File) Octets(v ...byte) *Tag { return &Tag{1, len(v), v} }

func (f File) rawTags(w *writer) map[uint16]*Tag {
	bits := f.bits()
	blocks, width, height := f.blocks()
	var at, sizes []uint32
	for _, b := range blocks {
		at, sizes = append(at, w.add(b)), append(sizes, uint32(len(b)))
	}
	stored := uint16(bits)
	if f.Store == Plain && bits > 8 || f.Store == Deflated {
		stored = 16
	}
	white := f.White
	if white == 0 {
		white = 1<<bits - 1
	}
	colours := f.colours()
	tags := map[uint16]*Tag{254: f.Longs(0), 256: f.Longs(uint32(f.Width)), 257: f.Longs(uint32(f.Height)),
		258: f.Shorts(stored), 259: f.Shorts(map[Store]uint16{Plain: 1, Packed: 1, Lossless: 7, Deflated: 8}[f.Store]),
		262: f.Shorts(32803), 277: f.Shorts(1), 33421: f.Shorts(2, 2), 33422: f.Octets(colours[:]...),
		50717: f.Longs(white)}
	if f.Tile > 0 {
		tags[322], tags[323] = f.Longs(uint32(width)), f.Longs(uint32(height))
		tags[324], tags[325] = f.Longs(at...), f.Longs(sizes...)
	} else {
		tags[273], tags[278], tags[279] = f.Longs(at...), f.Longs(uint32(height)), f.Longs(sizes...)
	}
	if f.Active != nil {
		tags[50829] = f.Longs(f.Active...)
	}
	if len(f.Black) == 4 {
		tags[50713] = f.Shorts(2, 2)
	}
	if f.Black != nil {
		tags[50714] = f.Longs(f.Black...)
	}
	return with(tags, f.Raw)
}

func (f File) firstTags(w *writer) map[uint16]*Tag {
	const side = 8
	thumbnail := bytes.Repeat([]byte{90, 120, 60}, side*side)
	tags := map[uint16]*Tag{254: f.Longs(1), 256: f.Longs(side), 257: f.Longs(side), 258: f.Shorts(8, 8, 8),
		259: f.Shorts(1), 262: f.Shorts(2), 273: f.Longs(w.add(thumbnail)), 277: f.Shorts(3), 278: f.Longs(side),
		279: f.Longs(uint32(len(thumbnail))), 37500: {7, len(Maker), []byte(Maker)},
		50706: f.Octets(1, 4, 0, 0), 50781: f.Octets([]byte("sixteen bytes id")...),
		51111: f.Octets(make([]byte, 16)...), 50972: f.Octets(make([]byte, 16)...)}
	if f.Noise != nil {
		tags[51041] = f.Doubles(f.Noise...)
	}
	return with(tags, f.First)
}

func (f File) previewTags(w *writer) map[uint16]*Tag {
	return map[uint16]*Tag{254: f.Longs(1), 256: f.Longs(f.PreviewSide), 257: f.Longs(f.PreviewSide),
		258: f.Shorts(8, 8, 8), 259: f.Shorts(7), 262: f.Shorts(6), 273: f.Longs(w.add(f.Preview)),
		277: f.Shorts(3), 278: f.Longs(f.PreviewSide), 279: f.Longs(uint32(len(f.Preview))), 530: f.Shorts(2, 2)}
}

func with(tags, more map[uint16]*Tag) map[uint16]*Tag {
	for id, t := range more {
		if tags[id] = t; t == nil {
			delete(tags, id)
		}
	}
	return tags
}

// directory writes a directory, and returns its place.
func (w *writer) directory(tags map[uint16]*Tag) uint32 {
	var ids []uint16
	for id := range tags {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	b := w.AppendUint16(nil, uint16(len(ids)))
	for _, id := range ids {
		t := tags[id]
		b = w.AppendUint32(w.AppendUint16(w.AppendUint16(b, id), t.Type), uint32(t.Count))
		if len(t.Value) <= 4 {
			b = append(append(b, t.Value...), make([]byte, 4-len(t.Value))...)
		} else {
			b = w.AppendUint32(b, w.add(t.Value))
		}
	}
	return w.add(append(b, 0, 0, 0, 0))
}

func (f File) bits() int {
	if f.Bits == 0 {
		return 14
	}
	return f.Bits
}

func (f File) colours() [4]byte {
	if f.Colours == [4]byte{} {
		return [4]byte{0, 1, 1, 2}
	}
	return f.Colours
}

// blocks returns the strips or tiles, and their sides.
func (f File) blocks() (blocks [][]byte, width, height int) {
	width, height = f.Width, f.Height
	if f.Tile > 0 {
		width, height = f.Tile, f.Tile
	}
	for top := 0; top < f.Height; top += height {
		for left := 0; left < f.Width; left += width {
			block := make([]uint16, width*height)
			for y := range min(height, f.Height-top) {
				copy(block[y*width:][:width], f.Samples[(top+y)*f.Width+left:][:min(width, f.Width-left)])
			}
			blocks = append(blocks, f.stored(block, width, height))
		}
	}
	return blocks, width, height
}

func (f File) stored(block []uint16, width, height int) (b []byte) {
	switch f.Store {
	case Lossless:
		return losslessjpeg.Encode(block, width, height, width, f.bits())
	case Packed:
		for row := range slices.Chunk(block, width) {
			word, have := uint32(0), 0
			for _, v := range row {
				for word, have = word<<f.bits()|uint32(v), have+f.bits(); have >= 8; have -= 8 {
					b = append(b, byte(word>>(have-8)))
				}
			}
			if have > 0 {
				b = append(b, byte(word<<(8-have)))
			}
		}
		return b
	}
	for _, v := range block {
		if f.Store == Plain && f.bits() == 8 {
			b = append(b, byte(v))
		} else {
			b = f.order().AppendUint16(b, v)
		}
	}
	if f.Store == Deflated {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write(b)
		w.Close()
		return z.Bytes()
	}
	return b
}

// Scene draws the clean and the noisy samples of a smooth scene, with noise of the variance slope*x + floor. Both have
// the same black, white and colours as f, which gets the noisy ones.
func (f *File) Scene(seed uint64, slope, floor float64) (clean []float64) {
	r := rand.New(rand.NewPCG(seed, 2))
	black, white := 0.0, float64(uint32(1)<<f.bits()-1)
	if len(f.Black) > 0 {
		black = float64(f.Black[0])
	}
	if f.White > 0 {
		white = float64(f.White)
	}
	var top, left int
	if f.Active != nil {
		top, left = int(f.Active[0]), int(f.Active[1])
	}
	colours, light := f.colours(), [3]float64{0, 0.1, 0.05}
	f.Samples, f.Noise = nil, []float64{slope, floor}
	for y := range f.Height {
		for x := range f.Width {
			v := 0.25 + 0.2*math.Sin(float64(x)/23)*math.Cos(float64(y)/31)
			if f.Raw[262] == nil {
				v += light[colours[(y+top)%2*2+(x+left)%2]]
			}
			clean = append(clean, black+v*(white-black))
			v += math.Sqrt(slope*v+floor) * r.NormFloat64()
			f.Samples = append(f.Samples, uint16(min(max(math.Round(black+v*(white-black)), 0), white)))
		}
	}
	return clean
}
