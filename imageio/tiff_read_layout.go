package imageio

import (
	"fmt"
	"math"
	"slices"
)

// Tags of TIFF 6.0 (Aldus, 1992).
const (
	tagSubfileType     = 254
	tagImageWidth      = 256
	tagImageLength     = 257
	tagBitsPerSample   = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagFillOrder       = 266
	tagDescription     = 270
	tagStripOffsets    = 273
	tagSamplesPerPixel = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagXResolution     = 282
	tagYResolution     = 283
	tagPlanarConfig    = 284
	tagResolutionUnit  = 296
	tagPredictor       = 317
	tagColorMap        = 320
	tagTileWidth       = 322
	tagTileLength      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagSubIFDs         = 330
	tagInkSet          = 332
	tagExtraSamples    = 338
	tagSampleFormat    = 339
)

// Values of these tags.
const (
	whiteIsZero = 0
	blackIsZero = 1
	rgb         = 2
	palette     = 3
	separated   = 5

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
	predictorFloat      = 3
)

// tiffLayout says where the pixels of a page are and what they mean. It exists only for pages that are supported.
type tiffLayout struct {
	width, height int64
	bits, samples uint32
	photometric   uint32
	compression   uint32
	predictor     uint32
	format        uint32
	ratio         int64 // the most that a byte of data can expand to
	alpha, tiled  bool
	planar        bool  // each sample has its own blocks
	blockWidth    int64 // width of a strip or tile
	blockHeight   int64
	list          []block // plane by plane if planar
	total         int64   // bytes of all blocks
	colours       []uint64
	turn          orientation
	levels        []level
}

// readLayout reads the layout from a directory. It checks the size first.
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
		planar:      t.uint(tagPlanarConfig, 1) == 2,
		tiled:       dir.has(tagTileWidth),
		turn:        orientation(t.uint(tagOrientation, 1)),
	}
	if t.err != nil {
		return nil, t.err
	}
	if n := dir.count(tagBitsPerSample); n > 1 && n != uint64(l.samples) {
		return nil, damagedf(TIFF, "%d sample sizes for %d samples", n, l.samples)
	}
	if err := o.checkSize(TIFF, l.width, l.height); err != nil {
		return nil, err
	}
	for _, check := range []func(*ifd) error{l.checkFile, l.checkAlpha, l.checkSamples, l.readColours, l.setBlocks} {
		if err := check(dir); err != nil {
			return nil, err
		}
	}
	// Tiles are decoded with their padding, so it counts.
	if err := o.checkSize(TIFF, roundUp(l.width, l.blockWidth), roundUp(l.height, l.blockHeight)); err != nil {
		return nil, err
	}
	return l, l.readBlocks(dir)
}

// planes returns the number of colour planes of the image.
func (l *tiffLayout) planes() int {
	switch l.photometric {
	case rgb, palette:
		return 3
	case separated:
		return 4
	}
	return 1
}

// rowBytes returns the bytes of a row of a block.
func (l *tiffLayout) rowBytes() int64 {
	samples := int64(l.samples)
	if l.planar {
		samples = 1
	}
	return (l.blockWidth*samples*int64(l.bits) + 7) / 8
}

// maxSamples limits how many of the values that a tag has for each sample are read. At most 4 samples are supported.
const maxSamples = 16

// tags reads several tags of a directory and keeps the first error.
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

// same reads a tag that has a value for each sample. All values must be equal.
func (t *tags) same(what string, tag uint16, def uint32) uint32 {
	v, err := t.dir.uints(tag, maxSamples)
	if err == nil && len(v) > 0 && slices.Max(v) != slices.Min(v) {
		err = failf(ErrUnsupported, "TIFF with more than one %s is not supported", what)
	}
	if err != nil && t.err == nil {
		t.err = err
	}
	if len(v) == 0 {
		return def
	}
	return uint32(min(v[0], math.MaxUint32))
}

func unsupportedTIFF(format string, args ...any) error {
	return failf(ErrUnsupported, "TIFF with %s is not supported", fmt.Sprintf(format, args...))
}

func roundUp(n, step int64) int64 { return (n + step - 1) / step * step }
