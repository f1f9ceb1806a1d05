package imageio

import (
	"bytes"
	"fmt"
	"slices"

	"golang.org/x/image/tiff"
)

// Tags of TIFF 6.0 (Aldus, 1992).
const (
	tagImageWidth      = 256
	tagImageLength     = 257
	tagBitsPerSample   = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagFillOrder       = 266
	tagStripOffsets    = 273
	tagSamplesPerPixel = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagXResolution     = 282
	tagYResolution     = 283
	tagPlanarConfig    = 284
	tagResolutionUnit  = 296
	tagPredictor       = 317
	tagTileWidth       = 322
	tagTileLength      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagSubIFDs         = 330
	tagExtraSamples    = 338
	tagSampleFormat    = 339
)

// Values of those tags.
const (
	whiteIsZero = 0
	blackIsZero = 1
	rgb         = 2
	palette     = 3

	compressionNone     = 1
	compressionLZW      = 5
	compressionDeflate  = 8
	compressionDeflate0 = 32946
	compressionPackBits = 32773

	formatUint  = 1
	formatFloat = 3

	alphaAssociated   = 1
	alphaUnassociated = 2

	predictorNone       = 1
	predictorHorizontal = 2
)

// tiffLayout is the directory of a file that is going to be read: all that could make the pixels
// mean something else has been refused.
type tiffLayout struct {
	width, height int64
	bits, samples uint32
	photometric   uint32
	compression   uint32
	predictor     uint32
	format        uint32
	ratio         int64 // most that a byte of data can expand to
	alpha, tiled  bool
	blockWidth    int64 // of a strip or tile
	blockHeight   int64
	turn          orientation
}

func decodeTIFF(data []byte, o ReadOptions) (*Image, orientation, error) {
	order, first, err := tiffHeader(data)
	if err != nil {
		return nil, 0, err
	}
	dir, err := parseIFD(data, order, first)
	if err != nil {
		return nil, 0, err
	}
	l, err := readLayout(dir, o)
	if err != nil {
		return nil, 0, err
	}
	blocks, err := l.blocks(dir)
	if err != nil {
		return nil, 0, err
	}
	if l.plain() {
		img, err := l.readStrips(dir, blocks, o)
		return img, l.turn, err
	}
	img, err := l.readStock(data)
	return img, l.turn, err
}

// readLayout takes the directory in, size first.
func readLayout(dir *ifd, o ReadOptions) (*tiffLayout, error) {
	t := &tags{dir: dir}
	l := &tiffLayout{
		width:       int64(t.uint(tagImageWidth, 0)),
		height:      int64(t.uint(tagImageLength, 0)),
		samples:     t.uint(tagSamplesPerPixel, 1),
		bits:        t.same("sample size", tagBitsPerSample, 1),
		format:      t.same("sample format", tagSampleFormat, formatUint),
		photometric: t.uint(tagPhotometric, blackIsZero),
		compression: t.uint(tagCompression, compressionNone),
		predictor:   t.uint(tagPredictor, predictorNone),
		tiled:       dir.has(tagTileWidth),
		turn:        orientation(t.uint(tagOrientation, 1)),
	}
	if t.err != nil {
		return nil, t.err
	}
	if n := dir.count(tagBitsPerSample); n > 1 && n != l.samples {
		return nil, damagedf(TIFF, "%d sample sizes for %d samples", n, l.samples)
	}
	if err := o.gate(TIFF, l.width, l.height); err != nil {
		return nil, err
	}
	if err := l.checkFile(dir); err != nil {
		return nil, err
	}
	if err := l.checkAlpha(dir); err != nil {
		return nil, err
	}
	if err := l.checkSamples(); err != nil {
		return nil, err
	}
	if err := l.setBlocks(dir); err != nil {
		return nil, err
	}
	// The padding of tiles is decoded too, so it counts.
	return l, o.gate(TIFF, roundUp(l.width, l.blockWidth), roundUp(l.height, l.blockHeight))
}

// plain says that the pixels lie in the file as they are, in strips of whole bytes: the reader of
// this package takes those, which include all that the stock decoder refuses.
func (l *tiffLayout) plain() bool {
	return l.compression == compressionNone && !l.tiled && l.bits >= 8 && l.photometric != palette
}

// readStock leaves the rest to golang.org/x/image/tiff.
func (l *tiffLayout) readStock(data []byte) (*Image, error) {
	src, err := tiff.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, decoderError(TIFF, err)
	}
	if b := src.Bounds(); int64(b.Dx()) != l.width || int64(b.Dy()) != l.height {
		return nil, damagedf(TIFF, "contradictory sizes")
	}
	return fromImage(src, l.gray(), l.alpha, TIFF), nil
}

func (l *tiffLayout) gray() bool {
	return l.photometric == whiteIsZero || l.photometric == blackIsZero
}

// tags reads several tags and keeps the first error.
type tags struct {
	dir *ifd
	err error
}

func (t *tags) uint(tag uint16, def uint32) uint32 {
	v, err := t.dir.uint(tag, def)
	if err != nil && t.err == nil {
		t.err = err
	}
	return v
}

// same reads a tag that has a value per sample, all of which must agree.
func (t *tags) same(what string, tag uint16, def uint32) uint32 {
	v, err := t.dir.uints(tag)
	if err == nil && len(v) > 0 && slices.Max(v) != slices.Min(v) {
		err = failf(ErrUnsupported, "TIFF with more than one %s is not supported", what)
	}
	if err != nil && t.err == nil {
		t.err = err
	}
	if len(v) == 0 {
		return def
	}
	return v[0]
}

func unsupportedTIFF(format string, args ...any) error {
	return failf(ErrUnsupported, "TIFF with %s is not supported", fmt.Sprintf(format, args...))
}

func roundUp(n, step int64) int64 { return (n + step - 1) / step * step }
