package imageio

import (
	"encoding/binary"
	"math"
)

// block is where a strip or tile lies in the file.
type block struct{ at, size int64 }

// setBlocks finds the size of strips or tiles.
func (l *tiffLayout) setBlocks(dir *ifd) error {
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

// blocks lists the strips or tiles that the image needs. They must lie in the file and be no larger
// than it together: a small file in which they overlap could stand for any amount of work.
func (l *tiffLayout) blocks(dir *ifd) ([]block, error) {
	tagOffsets, tagCounts := uint16(tagStripOffsets), uint16(tagStripByteCounts)
	if l.tiled {
		tagOffsets, tagCounts = tagTileOffsets, tagTileByteCounts
	}
	offsets, err := dir.uints(tagOffsets)
	if err != nil {
		return nil, err
	}
	counts, err := dir.uints(tagCounts)
	if err != nil {
		return nil, err
	}
	n := roundUp(l.width, l.blockWidth) / l.blockWidth * (roundUp(l.height, l.blockHeight) / l.blockHeight)
	if int64(len(offsets)) < n || int64(len(counts)) < n {
		return nil, damagedf(TIFF, "%d strips or tiles of %d", min(len(offsets), len(counts)), n)
	}
	list, total, size := make([]block, n), int64(0), int64(len(dir.data))
	for i := range list {
		b := block{int64(offsets[i]), int64(counts[i])}
		if total += b.size; b.at+b.size > size || total > size {
			return nil, damagedf(TIFF, "pixels outside the file")
		}
		list[i] = b
	}
	rowBits := l.width * int64(l.samples) * int64(l.bits)
	return list, canFill(TIFF, l.height*((rowBits+7)/8), total, l.ratio)
}

// readStrips reads uncompressed chunky strips of 8-bit, 16-bit or float32 samples.
func (l *tiffLayout) readStrips(dir *ifd, strips []block, o ReadOptions) (*Image, error) {
	pixel := int64(l.samples) * int64(l.bits) / 8
	colours := int(l.samples)
	if l.alpha {
		colours--
	}
	img := newImage(int(l.width), int(l.height), colours, l.alpha, Depth(l.bits), TIFF)
	for i, s := range strips {
		first := int64(i) * l.blockHeight
		rows := min(l.blockHeight, l.height-first)
		if s.size < rows*l.width*pixel {
			return nil, damagedf(TIFF, "strip %d is too short", i)
		}
		at, n := int(first*l.width), int(rows*l.width)
		for c, p := range img.channels() {
			src := dir.data[s.at+int64(c)*int64(l.bits)/8:]
			scale := o.White
			if c == colours { // alpha
				scale = 1
			}
			l.unpack(p[at:at+n], src, int(pixel), dir.order, scale)
		}
	}
	if l.photometric == whiteIsZero {
		invert(img)
	}
	return img, checkFinite(img)
}

// unpack reads a sample from every step-th byte of src.
func (l *tiffLayout) unpack(dst []float32, src []byte, step int, order binary.ByteOrder, white float64) {
	switch l.bits {
	case 8:
		for i := range dst {
			dst[i] = unit8(src[i*step])
		}
	case 16:
		for i := range dst {
			dst[i] = unit16(order.Uint16(src[i*step:]))
		}
	case 32:
		for i := range dst {
			v := math.Float32frombits(order.Uint32(src[i*step:]))
			if white != 1 {
				v = float32(float64(v) / white)
			}
			dst[i] = v
		}
	}
}

// invert turns WhiteIsZero samples over in the integers of the file, to be exact.
func invert(img *Image) {
	top := img.Depth.max()
	for i, v := range img.Planes[0] {
		img.Planes[0][i] = float32(top-float64(quantise(v, top))) / float32(top)
	}
}

// checkFinite refuses an image with a NaN or Inf, by the first one in reading order.
func checkFinite(img *Image) error {
	bad := -1
	for _, p := range img.channels() {
		for i, v := range p {
			if !finite(v) {
				if bad < 0 || i < bad {
					bad = i
				}
				break
			}
		}
	}
	if bad < 0 {
		return nil
	}
	return failf(ErrFormat, "NaN or Inf at pixel (%d, %d)", bad%img.Width, bad/img.Width)
}
