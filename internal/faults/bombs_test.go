//go:build linux

package faults

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"strings"
)

// bomb is a small file that declares much; tail makes it longer by a hole.
type bomb struct {
	name string
	file []byte
	tail int64
}

// bombs are such files of every kind.
func bombs() []bomb {
	all := append(bombsPNG(), bombsJPEG()...)
	return append(all, bombsTIFF()...)
}

// giants are sizes beyond the default limit of 100 megapixels.
var giants = [][2]uint32{{math.MaxInt32, math.MaxInt32}, {math.MaxUint32, math.MaxUint32}, {65535, 65535},
	{1, math.MaxInt32}, {math.MaxInt32, 1}, {100_000_001, 1}, {10_000, 10_001}}

func bombsPNG() (all []bomb) {
	for _, s := range giants {
		for _, kind := range [][3]byte{{8, 6, 0}, {16, 0, 1}, {1, 3, 0}} {
			all = append(all, bomb{name: fmt.Sprint("PNG ", s, kind), file: png(s[0], s[1], kind)})
		}
	}
	zeros := deflated(1 << 10)
	return append(all,
		bomb{name: "PNG that cannot hold its pixels", file: png(10_000, 10_000, [3]byte{16, 6, 0})},
		bomb{name: "PNG of 3 GB", file: png(65535, 65535, [3]byte{8, 2, 0}), tail: 3 << 30},
		bomb{name: "PNG text of 1 GB", file: png(8, 8, [3]byte{8, 0, 0}, "zTXt", "a\x00\x00"+zeros)},
		bomb{name: "PNG profile of 1 GB", file: png(8, 8, [3]byte{8, 0, 0}, "iCCP", "a\x00\x00"+zeros)},
		bomb{name: "PNG international text of 1 GB", file: png(8, 8, [3]byte{8, 0, 0}, "iTXt",
			"a\x00\x01\x00\x00\x00"+zeros)},
		bomb{name: "PNG chunk of 2^32-1 bytes", file: append(png(8, 8, [3]byte{8, 0, 0})[:33],
			"\xff\xff\xff\xffIDAT"...)})
}

func bombsJPEG() (all []bomb) {
	for _, s := range [][2]uint16{{65535, 65535}, {65535, 1}, {1, 65535}, {10_000, 10_001}, {10_000, 10_000}} {
		for _, kind := range [][2]byte{{0xc0, 3}, {0xc2, 1}, {0xc0, 4}} {
			all = append(all, bomb{name: fmt.Sprint("JPEG ", s, kind), file: jpegFrame(s[0], s[1], kind)})
		}
	}
	return append(all,
		bomb{name: "JPEG of 3 GB", file: jpegFrame(65535, 65535, [2]byte{0xc0, 3}), tail: 3 << 30},
		bomb{name: "progressive JPEG of 100,000 scans", file: append(jpegFrame(9000, 9000, [2]byte{0xc2, 1}),
			bytes.Repeat([]byte("\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"), 100_000)...)})
}

func bombsTIFF() (all []bomb) {
	for _, s := range giants {
		for _, big := range []bool{false, true} {
			all = append(all, bomb{name: fmt.Sprint("TIFF ", s, big), file: tiff(big, 1, page(s[0], s[1]))})
		}
		tiles := append(page(s[0], s[1]), [][3]uint32{{322, 4, 256}, {323, 4, 256}, {324, 4, 8}, {325, 4, 1}}...)
		all = append(all, bomb{name: fmt.Sprint("TIFF of tiles ", s), file: tiff(false, 1, tiles)})
	}
	huge := func(tag, count uint32) []byte { // a tag with that many values
		p := page(100, 100)
		for i := range p {
			if p[i][0] == tag {
				p[i][1] |= count << 8
			}
		}
		return tiff(false, 1, p)
	}
	with := func(p [][3]uint32, more ...[3]uint32) [][3]uint32 { return append(p, more...) }
	all = append(all,
		bomb{name: "TIFF of 16 million strips", file: huge(273, 1<<24-1)},
		bomb{name: "TIFF of 16 million counts", file: huge(279, 1<<24-1), tail: 1 << 27},
		bomb{name: "TIFF of 16 million depths", file: huge(258, 1<<24-1), tail: 1 << 27},
		bomb{name: "TIFF of a row for each strip", file: tiff(false, 1,
			with(page(1, 100_000_000), [3]uint32{278, 4, 1}))},
		bomb{name: "TIFF of tiles as wide as 2^30", file: tiff(false, 1,
			with(page(100, 100), [3]uint32{322, 4, 1 << 30}, [3]uint32{323, 4, 1 << 30},
				[3]uint32{324, 4, 8}, [3]uint32{325, 4, 1}))},
		bomb{name: "TIFF of tiles as small as 1 x 1", file: tiff(false, 1,
			with(page(9999, 9999), [3]uint32{322, 4, 1}, [3]uint32{323, 4, 1},
				[3]uint32{324, 4, 8}, [3]uint32{325, 4, 1}))},
		bomb{name: "TIFF of 65,535 tags", file: append([]byte("II*\x00\x08\x00\x00\x00\xff\xff"),
			make([]byte, 100)...)},
		bomb{name: "TIFF whose directories make a ring", file: loop(tiff(false, 3, page(8, 8)))},
		bomb{name: "TIFF of 100,001 pages", file: tiff(false, 100_001, page(8, 8))},
		bomb{name: "BigTIFF of 2^64-1 tags",
			file: append([]byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00"),
				bytes.Repeat([]byte{0xff}, 64)...)},
		bomb{name: "TIFF that cannot hold its pixels", file: tiff(false, 1, page(10_000, 10_000))})
	return all
}

// png makes a file with an empty stream of pixels, and chunks before it.
func png(w, h uint32, kind [3]byte, chunks ...string) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name, body string) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
		b = append(append(b, name...), body...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[len(b)-len(body)-4:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	chunk("IHDR", string(append(head, kind[0], kind[1], 0, 0, kind[2])))
	for ; len(chunks) > 0; chunks = chunks[2:] {
		chunk(chunks[0], chunks[1])
	}
	chunk("IDAT", "\x78\x9c")
	chunk("IEND", "")
	return b
}

// deflated is a stream of 2 + n megabytes of zeros that never ends. A piece that was flushed stands for the same again,
// so it is packed once, whatever n.
func deflated(n int) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	megabyte, from := make([]byte, 1<<20), 0
	for range 2 {
		from = b.Len()
		z.Write(megabyte)
		z.Flush()
	}
	return b.String() + strings.Repeat(b.String()[from:], n)
}

// jpegFrame ends behind the frame header, which has one marker and some components.
func jpegFrame(w, h uint16, kind [2]byte) []byte {
	b := []byte{0xff, 0xd8, 0xff, kind[0]}
	b = binary.BigEndian.AppendUint16(b, 8+3*uint16(kind[1]))
	b = binary.BigEndian.AppendUint16(append(b, 8), h)
	b = append(binary.BigEndian.AppendUint16(b, w), kind[1])
	for i := range kind[1] {
		b = append(b, i+1, 0x11, 0)
	}
	return b
}

// page is a directory of gray pixels: tag, type (with the count in its upper bits if it is not 1), value.
func page(w, h uint32) [][3]uint32 {
	return [][3]uint32{{256, 4, w}, {257, 4, h}, {258, 4, 8}, {259, 4, 1}, {262, 4, 1}, {273, 4, 8}, {277, 4, 1},
		{278, 4, h}, {279, 4, 1}}
}

// tiff chains pages that are alike. Tags that are given twice count as given last.
func tiff(big bool, pages int, p [][3]uint32) []byte {
	le, b := binary.LittleEndian, []byte("II*\x00\x08\x00\x00\x00")
	if big {
		b = []byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00")
	}
	last := map[uint32]int{}
	for i, t := range p {
		last[t[0]] = i
	}
	order := slices.Sorted(maps.Keys(last)) // as directories must be
	for i := range pages {
		if big {
			b = le.AppendUint64(b, uint64(len(last)))
		} else {
			b = le.AppendUint16(b, uint16(len(last)))
		}
		for _, id := range order {
			t := p[last[id]]
			b = le.AppendUint16(le.AppendUint16(b, uint16(t[0])), uint16(t[1]&0xff))
			if big {
				b = le.AppendUint64(le.AppendUint64(b, uint64(max(1, t[1]>>8))), uint64(t[2]))
			} else {
				b = le.AppendUint32(le.AppendUint32(b, max(1, t[1]>>8)), t[2])
			}
		}
		switch {
		case big:
			b = le.AppendUint64(b, 0)
		case i == pages-1:
			b = le.AppendUint32(b, 0)
		default:
			b = le.AppendUint32(b, uint32(len(b)+4))
		}
	}
	return b
}

// loop lets the last directory be followed by the first.
func loop(tiff []byte) []byte {
	binary.LittleEndian.PutUint32(tiff[len(tiff)-4:], 8)
	return tiff
}
