package imageio

import (
	"bufio"
	"compress/zlib"
	"io"
	"math"

	"golang.org/x/image/tiff/lzw"
)

// block is the place of a strip or tile in the file.
type block struct{ at, size int64 }

// setBlocks reads the size of strips or tiles.
func (l *tiffLayout) setBlocks(dir *ifd) error {
	if l.samples == 1 {
		l.planar = false
	}
	t := tags{dir: dir}
	if l.tiled {
		l.blockWidth, l.blockHeight = int64(t.uint(tagTileWidth, 0)), int64(t.uint(tagTileLength, 0))
	} else {
		l.blockWidth, l.blockHeight = l.width, min(l.height, int64(t.uint(tagRowsPerStrip, math.MaxUint32)))
	}
	if t.err == nil && (l.blockWidth == 0 || l.blockHeight == 0) {
		return damagedf(TIFF, "strips or tiles of no size")
	}
	return t.err
}

// across and down return the number of blocks in each direction.
func (l *tiffLayout) across() int64 { return roundUp(l.width, l.blockWidth) / l.blockWidth }
func (l *tiffLayout) down() int64   { return roundUp(l.height, l.blockHeight) / l.blockHeight }

// rowsOf returns the number of rows that block i holds in the file.
func (l *tiffLayout) rowsOf(i int) int64 {
	if l.tiled {
		return l.blockHeight
	}
	return min(l.blockHeight, l.height-int64(i)%l.down()*l.blockHeight)
}

// readBlocks lists the strips or tiles of the image. Each must lie in the file, and together they must not be larger
// than it. Otherwise a small file with overlapping blocks could cause any amount of work.
func (l *tiffLayout) readBlocks(dir *ifd) error {
	tagOffsets, tagCounts := uint16(tagStripOffsets), uint16(tagStripByteCounts)
	if l.tiled {
		tagOffsets, tagCounts = tagTileOffsets, tagTileByteCounts
	}
	planes := int64(1)
	if l.planar {
		planes = int64(l.samples)
	}
	n := l.across() * l.down() * planes
	if have := int64(min(dir.count(tagOffsets), dir.count(tagCounts), math.MaxInt64)); have < n {
		return damagedf(TIFF, "%d strips or tiles of %d", have, n)
	}
	offsets, err := dir.uints(tagOffsets, uint64(n))
	if err != nil {
		return err
	}
	counts, err := dir.uints(tagCounts, uint64(n))
	if err != nil {
		return err
	}
	l.list = make([]block, n)
	for i := range l.list {
		if counts[i] == 0 {
			return damagedf(TIFF, "strip or tile %d is missing", i)
		}
		if !dir.holds(offsets[i], counts[i]) {
			return damagedf(TIFF, "pixels outside the file")
		}
		l.list[i] = block{int64(offsets[i]), int64(counts[i])}
		if l.total += l.list[i].size; l.total > dir.size {
			return damagedf(TIFF, "pixels outside the file")
		}
	}
	rowBits := l.width * int64(l.samples) * int64(l.bits)
	return checkFill(TIFF, l.height*((rowBits+7)/8), l.total, l.ratio)
}

// unpacker opens blocks for reading, one after the other.
type unpacker struct {
	compression uint32
	file        io.ReaderAt
	section     bufio.Reader
	inflate     io.ReadCloser
	unpackBits  packBits
}

// open returns a reader of the expanded bytes of a block. There may be more of them than the image needs.
func (u *unpacker) open(b block) (io.Reader, error) {
	u.section.Reset(io.NewSectionReader(u.file, b.at, b.size))
	switch u.compression {
	case compressionLZW:
		return lzw.NewReader(&u.section, lzw.MSB, 8), nil
	case compressionPackBits:
		u.unpackBits = packBits{r: &u.section}
		return &u.unpackBits, nil
	case compressionDeflate, compressionDeflate0:
		if u.inflate != nil {
			return u.inflate, u.inflate.(zlib.Resetter).Reset(&u.section, nil)
		}
		var err error
		u.inflate, err = zlib.NewReader(&u.section)
		return u.inflate, err
	}
	return &u.section, nil
}

// finish verifies the checksum of a compression that has one, which follows the last byte that is needed.
func (u *unpacker) finish(r io.Reader) error {
	if u.inflate == nil {
		return nil
	}
	var one [1]byte
	if _, err := r.Read(one[:]); err == zlib.ErrChecksum {
		return err
	}
	return nil
}

// packBits expands PackBits data (TIFF 6.0, section 9).
type packBits struct {
	r       *bufio.Reader
	literal int // bytes still to copy
	repeat  int // times still to repeat
	value   byte
}

func (p *packBits) Read(dst []byte) (int, error) {
	for i := range dst {
		for p.literal == 0 && p.repeat == 0 {
			code, err := p.r.ReadByte()
			if err != nil {
				return i, err
			}
			switch n := int(int8(code)); {
			case n >= 0:
				p.literal = n + 1
			case n > math.MinInt8:
				p.repeat = 1 - n
				if p.value, err = p.r.ReadByte(); err != nil {
					return i, err
				}
			}
		}
		if p.repeat > 0 {
			dst[i], p.repeat = p.value, p.repeat-1
			continue
		}
		b, err := p.r.ReadByte()
		if err != nil {
			return i, err
		}
		dst[i], p.literal = b, p.literal-1
	}
	return len(dst), nil
}
