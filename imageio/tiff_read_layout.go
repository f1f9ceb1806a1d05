package imageio

import (
	"fmt"
	"math"
	"slices"
)

// Tags of TIFF 6.0 (Aldus, 1992).
const (
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
	tagImageDepth      = 32997 // of libtiff and tifffile: slices of a volume in one page
	tagInkSet          = 332
	tagNewSubfileType  = 254
	tagJPEGTables      = 347
	tagYCbCrWeights    = 529
	tagYCbCrSampling   = 530
	tagReferenceBW     = 532
	tagDNGVersion      = 50706
	tagExtraSamples    = 338
	tagSampleFormat    = 339
)

// Values of these tags.
const (
	whiteIsZero = 0
	blackIsZero = 1
	rgb         = 2
	palette     = 3
	mask        = 4
	separated   = 5
	ycbcr       = 6
	cieLab      = 8
	iccLab      = 9
	ituLab      = 10
	rawSensor   = 32803
	logL        = 32844
	logLuv      = 32845
	rawLinear   = 34892

	compressionNone     = 1
	compressionLZW      = 5
	compressionDeflate  = 8
	compressionDeflate0 = 32946
	compressionPackBits = 32773
	compressionFaxRLE   = 2
	compressionFax3     = 3
	compressionFax4     = 4
	compressionJPEG     = 7
	compressionLog      = 34676
	compressionLZMA     = 34925
	compressionZstd     = 50000

	formatUint    = kindUint
	formatFloat   = kindFloat
	formatUntyped = 4

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
	ratio         int64    // the most that a byte of data can expand to
	inks          uint32   // samples of a colour
	extra         []uint64 // meanings of the samples after those
	alpha         int      // index of alpha among the extra samples, or -1
	separate      bool     // the samples of a colour are planes without a common meaning
	tiled         bool
	planar        bool  // each sample has its own blocks
	reversed      bool  // the first pixel is in the last bit of a byte
	blockWidth    int64 // width of a strip or tile
	blockHeight   int64
	list          []block // plane by plane if planar
	total         int64   // bytes of all blocks
	colours       []uint64
	turn          orientation
	levels        []level
	chained       bool   // the levels follow the page as pages
	across2       int64  // pixels that share a chroma sample
	down2         int64  // rows that share a chroma sample
	jpegTables    []byte // of all blocks
	faxOptions    uint32
	chroma        *tiffYCbCr
	warnings      []string
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
		alpha:       -1,
		across2:     1,
		down2:       1,
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
	for _, check := range []func(*ifd) error{l.checkFile, l.checkColours, l.checkExtra, l.checkSamples, l.readColours,
		l.readYCbCr, l.setBlocks, l.readCoding} {
		if err := check(dir); err != nil {
			return nil, err
		}
	}
	if err := l.checkTiles(o); err != nil {
		return nil, err
	}
	// The samples of a pixel may be as many as those of a few pixels of an ordinary image.
	if n := int64(l.samples); n > 4 && l.width*l.height > 4*o.maxPixels()/n {
		return nil, failf(ErrPixels, "%d x %d pixels of %d samples, limit is %d samples", l.width, l.height, n,
			4*o.maxPixels())
	}
	return l, l.readBlocks(dir, o.KeepDamaged)
}

// planes returns the number of colour planes of the image.
func (l *tiffLayout) planes() int {
	switch {
	case l.separate:
		return 1
	case l.photometric == palette, l.photometric == ycbcr, l.photometric == logLuv:
		return 3
	}
	return int(l.inks)
}

// extraPlanes returns the number of Extra planes of the image.
func (l *tiffLayout) extraPlanes() int {
	n := len(l.extra)
	if l.alpha >= 0 {
		n--
	}
	if l.separate {
		n += int(l.inks) - 1
	}
	return n
}

// newImage allocates the image of a page.
func (l *tiffLayout) newImage(white float64) *Image {
	img := newImage(int(l.width), int(l.height), l.planes(), l.alpha >= 0, l.depth(), TIFF)
	for range l.extraPlanes() {
		img.Extra = append(img.Extra, make([]float32, l.width*l.height))
	}
	if l.alpha >= 0 {
		img.Premultiplied = l.extra[l.alpha] == alphaAssociated
		img.stored.alphaAt = l.alpha
		if l.separate {
			img.stored.alphaAt += int(l.inks) - 1
		}
	}
	if l.separate || l.photometric == whiteIsZero || l.photometric == mask {
		img.stored.photometric, img.stored.inks = l.photometric+1, int(l.inks)
	}
	img.stored.white = white
	if !img.Depth.exact() {
		for range img.channels() {
			img.stored.wide = append(img.stored.wide, make([]float64, l.width*l.height))
		}
	}
	img.Warnings = l.warnings
	return img
}

// rowBytes returns the bytes of a row of a block.
func (l *tiffLayout) rowBytes() int64 {
	samples := int64(l.samples)
	switch {
	case l.planar:
		samples = 1
	case l.clumped(): // the rows that share chroma samples come together
		return roundUp(l.blockWidth, l.across2) / l.across2 * (l.across2*l.down2 + 2)
	}
	return (l.blockWidth*samples*int64(l.bits) + 7) / 8
}

// maxSamples limits the samples of a pixel.
const maxSamples = 512

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
