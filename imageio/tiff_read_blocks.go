package imageio

import (
	"bufio"
	"compress/flate"
	oldlzw "compress/lzw"
	"compress/zlib"
	"errors"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
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

// usualTile is the size in pixels up to which a tile is accepted in a picture of any size.
const usualTile = 1 << 20

// checkTiles refuses tiles that take much more memory or time than the largest picture. The padding of tiles is
// decoded, but it is no part of the picture: tiles may be as large as the picture, with sides that are multiples of 16,
// and at most double both its sides. Strips have no padding.
func (l *tiffLayout) checkTiles(o ReadOptions) error {
	if !l.tiled {
		return nil
	}
	most := max(o.maxPixels(), usualTile)
	if l.blockWidth > most/l.blockHeight && (l.blockWidth > roundUp(l.width, 16) ||
		l.blockHeight > roundUp(l.height, 16)) {
		return failf(ErrPixels, "tiles of %d x %d pixels, limit is %d", l.blockWidth, l.blockHeight, most)
	}
	if w, h := roundUp(l.width, l.blockWidth), roundUp(l.height, l.blockHeight); w > 4*most/h {
		return failf(ErrPixels, "tiles of %d x %d pixels together, limit is %d", w, h, 4*most)
	}
	return nil
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

// blockTags returns the tags of the places and sizes of strips or tiles. Some programs store those of tiles under the
// tags of strips.
func (l *tiffLayout) blockTags(dir *ifd) (offsets, counts uint16) {
	if l.tiled && dir.has(tagTileOffsets) {
		return tagTileOffsets, tagTileByteCounts
	}
	return tagStripOffsets, tagStripByteCounts
}

// readBlocks lists the strips or tiles of the image. Each must lie in the file, and together they must not be larger
// than it. Otherwise a small file with overlapping blocks could cause any amount of work. With keep, some may be
// missing.
func (l *tiffLayout) readBlocks(dir *ifd, keep bool) error {
	tagOffsets, tagCounts := l.blockTags(dir)
	planes := int64(1)
	if l.planar {
		planes = int64(l.samples)
	}
	n := l.across() * l.down() * planes
	have := int64(min(dir.count(tagOffsets), math.MaxInt64))
	if dir.has(tagCounts) {
		have = min(have, int64(min(dir.count(tagCounts), math.MaxInt64)))
	}
	if have < n && (!keep || have == 0) {
		return salvageable(damagedf(TIFF, "%d strips or tiles of %d", have, n))
	}
	offsets, err := dir.uints(tagOffsets, uint64(n))
	if err != nil {
		return err
	}
	counts, err := dir.uints(tagCounts, uint64(n))
	if err != nil {
		return err
	}
	if counts == nil {
		if counts, err = l.guessCounts(dir, offsets); err != nil {
			return err
		}
	}
	offsets, counts = padded(offsets, n), padded(counts, n)
	l.repairCounts(dir, offsets, counts)
	l.list = make([]block, n)
	for i := range l.list {
		l.list[i] = dir.blockIn(offsets[i], counts[i])
		switch {
		case keep && l.list[i] == missingBlock:
			continue
		case keep:
		case counts[i] == 0:
			return salvageable(damagedf(TIFF, "strip or tile %d is missing", i))
		case !dir.holds(offsets[i], counts[i]):
			return salvageable(damagedf(TIFF, "pixels outside the file"))
		}
		if err := l.checkRow(l.list[i].size); err != nil {
			if !keep {
				return err
			}
			l.list[i] = missingBlock
			continue
		}
		if l.total += l.list[i].size; l.total > dir.size {
			return damagedf(TIFF, "pixels outside the file")
		}
	}
	if keep {
		return checkFill(TIFF, l.units()/maxMissing, l.total, l.ratio)
	}
	return salvageable(checkFill(TIFF, l.units(), l.total, l.ratio))
}

// checkRow refuses a block of size bytes that cannot hold one of its rows. A row of tiles may be much longer than one
// of the picture, and memory is allocated for it. Faxes need little, and the rows of JPEG files are as long as those
// say.
func (l *tiffLayout) checkRow(size int64) error {
	if l.fax() || l.compression == compressionJPEG {
		return nil
	}
	return checkFill(TIFF, l.rowBytes(), size, l.ratio)
}

// guessCounts returns the sizes of blocks for a file that does not give them: those of the pixels, or all of the file.
func (l *tiffLayout) guessCounts(dir *ifd, offsets []uint64) ([]uint64, error) {
	counts := make([]uint64, len(offsets))
	for i, at := range offsets {
		switch {
		case at > uint64(dir.size):
			return nil, damagedf(TIFF, "pixels outside the file")
		case l.compression == compressionNone:
			counts[i] = min(uint64(l.rowsOf(i)*l.rowBytes()), uint64(dir.size)-at)
		case len(offsets) == 1:
			counts[i] = uint64(dir.size) - at
		default:
			return nil, damagedf(TIFF, "%d strips or tiles of no size", len(offsets))
		}
	}
	return counts, nil
}

// units returns what the data of all blocks expand to, in the units of the ratio: rows of a fax, pixels of a JPEG, and
// else bytes.
func (l *tiffLayout) units() int64 {
	switch {
	case l.fax():
		return l.height
	case l.compression == compressionJPEG:
		return l.width * l.height
	case l.clumped():
		return roundUp(l.height, l.down2) / l.down2 * (roundUp(l.width,
			l.across2) / l.across2 * (l.across2*l.down2 + 2))
	}
	return l.height * ((l.width*int64(l.samples)*int64(l.bits) + 7) / 8)
}

// unpacker opens blocks for reading, one after the other.
type unpacker struct {
	*tiffLayout
	file       io.ReaderAt
	section    bufio.Reader
	inflate    io.ReadCloser
	zstd       *zstd.Decoder
	unpackBits packBits
}

// open returns a reader of the expanded bytes of a block of some rows. There may be more bytes than the image needs.
func (u *unpacker) open(b block, rows int64) (io.Reader, error) {
	section := io.Reader(io.NewSectionReader(u.file, b.at, b.size))
	if u.reversed {
		section = reversed{section}
	}
	u.section.Reset(section)
	switch u.compression {
	case compressionLZW:
		if head, err := u.section.Peek(2); err == nil && head[0] == 0 && head[1]&1 == 1 { // as before TIFF 6.0
			return oldlzw.NewReader(&u.section, oldlzw.LSB, 8), nil
		}
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
	case compressionZstd:
		return u.openZstd()
	case compressionLZMA:
		return openXZ(&u.section, rows*u.rowBytes())
	case compressionFaxRLE, compressionFax3, compressionFax4:
		data, err := io.ReadAll(&u.section)
		return &faxReader{compression: u.compression, mixed: u.faxOptions&faxTwoDimensional != 0, width: u.blockWidth,
			rows: rows, data: data}, err
	}
	return &u.section, nil
}

// maxWindow limits the memory of decoders whose data say how much they need. Blocks are much smaller.
const maxWindow = 64 << 20

func (u *unpacker) openZstd() (io.Reader, error) {
	if u.zstd != nil {
		return u.zstd, u.zstd.Reset(&u.section)
	}
	var err error
	u.zstd, err = zstd.NewReader(&u.section, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow),
		zstd.WithDecoderLowmem(true))
	return u.zstd, err
}

// close frees what the decoders hold.
func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

// finish verifies the checksum of a compression that has one, which follows the last byte. Beyond the rows that are
// needed there may be the padding of a tile, or what some writers add. The end may be missing. Of more than another
// block nothing is verified.
func (u *unpacker) finish(r io.Reader) error {
	if u.inflate == nil {
		return nil
	}
	_, err := io.CopyN(io.Discard, r, 1+u.blockHeight*u.rowBytes())
	var corrupt flate.CorruptInputError
	if err == zlib.ErrChecksum || errors.As(err, &corrupt) {
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
