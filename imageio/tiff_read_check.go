package imageio

import (
	"fmt"
	"slices"
)

// checkFile refuses sub-images and rare ways to store bits.
func (l *tiffLayout) checkFile(dir *ifd) error {
	if dir.has(tagDNGVersion) || l.photometric == rawSensor || l.photometric == rawLinear {
		return rawFile()
	}
	t := tags{dir: dir}
	planar, fill, depth := t.uint(tagPlanarConfig, 1), t.uint(tagFillOrder, 1), t.uint(tagImageDepth, 1)
	switch {
	case t.err != nil:
		return t.err
	case planar != 1 && planar != 2:
		return unsupportedTIFF("planar configuration %d", planar)
	case fill != 1 && fill != 2:
		return unsupportedTIFF("fill order %d", fill)
	case depth > 1:
		return unsupportedTIFF("a volume of %d slices in one page (ImageDepth)", depth)
	}
	l.reversed = fill == 2
	return l.readLevels(dir)
}

// checkColours finds out how many samples a colour has.
func (l *tiffLayout) checkColours(dir *ifd) error {
	switch l.photometric {
	case whiteIsZero, blackIsZero, palette, mask:
		l.inks = 1
	case rgb, ycbcr:
		l.inks = 3
	case cieLab, iccLab, ituLab:
		l.inks, l.separate = min(3, l.samples), true
	case separated:
		set, err := dir.uint(tagInkSet, 1)
		if err != nil {
			return err
		}
		l.inks = 4
		if set != 1 {
			extra := min(dir.count(tagExtraSamples), maxSamples)
			l.inks, l.separate = max(l.samples, uint32(extra)+1)-uint32(extra), true
		}
	case logL, logLuv:
		return l.checkLog()
	default:
		return unsupportedTIFF("%s", photometricName(l.photometric))
	}
	switch {
	case l.samples < max(l.inks, 1):
		return damagedf(TIFF, "%d samples per pixel", l.samples)
	case l.samples > maxSamples:
		return failf(ErrLimit, "TIFF of %d samples per pixel, limit is %d", l.samples, maxSamples)
	}
	return nil
}

// checkExtra finds out what the samples after the colours mean. Those without a word on them have no common meaning.
func (l *tiffLayout) checkExtra(dir *ifd) error {
	extra, err := dir.uints(tagExtraSamples, maxSamples)
	if err != nil {
		return err
	}
	n := int(l.samples - l.inks)
	if len(extra) > n {
		extra = extra[len(extra)-n:]
	}
	l.extra = append(extra, make([]uint64, n-len(extra))...)
	l.alpha = slices.IndexFunc(l.extra, func(v uint64) bool { return v == alphaAssociated || v == alphaUnassociated })
	return nil
}

// checkSamples refuses combinations of sample type, colour and compression that are not supported.
func (l *tiffLayout) checkSamples(*ifd) error {
	ratio, ok := compressionRatios[l.compression]
	if !ok {
		return unsupportedTIFF("%s compression", compressionName(l.compression))
	}
	l.ratio = ratio
	if l.format == formatUntyped {
		l.format = formatUint
	}
	isFloat, fax := l.format == formatFloat, l.fax()
	switch {
	case l.format < formatUint || l.format > formatFloat:
		return unsupportedTIFF("%s samples", formatName(l.format))
	case !l.fileDepth().valid() && l.format == kindInt:
		return unsupportedTIFF("signed integer samples of %d bits", l.bits)
	case !l.fileDepth().valid():
		return unsupportedTIFF("%d-bit %s samples", l.bits, map[bool]string{false: "integer", true: "float"}[isFloat])
	case l.photometric == palette && (l.bits > 16 || l.format != formatUint):
		return unsupportedTIFF("a palette of %v samples", l.fileDepth())
	case l.photometric == ycbcr && l.fileDepth() != Depth8:
		return unsupportedTIFF("YCbCr colour of %v samples", l.fileDepth())
	case fax && (l.bits != 1 || l.samples != 1):
		return unsupportedTIFF("%s compression of %d samples of %d bits", compressionName(l.compression), l.samples,
			l.bits)
	case l.compression == compressionJPEG && l.fileDepth() != Depth8:
		return unsupportedTIFF("%d-bit JPEG compression", l.bits)
	case l.compression == compressionJPEG && len(l.extra) > 0 && !l.planar:
		return unsupportedTIFF("JPEG compression of %d samples", l.samples)
	case !l.predictable():
		return unsupportedTIFF("predictor %d", l.predictor)
	}
	return nil
}

func (l *tiffLayout) fax() bool {
	return l.compression >= compressionFaxRLE && l.compression <= compressionFax4
}

// fileDepth returns the type of the samples in the file.
func (l *tiffLayout) fileDepth() Depth { return depthOf(int(l.format), int(min(l.bits, 255))) }

// predictable reports whether the predictor is used as the specifications say: on whole bytes, with LZW, Deflate or a
// similar compression. With other compressions, some programs apply it and some do not.
func (l *tiffLayout) predictable() bool {
	packed := slices.Contains([]uint32{compressionLZW, compressionDeflate, compressionDeflate0, compressionZstd,
		compressionLZMA}, l.compression)
	switch l.predictor {
	case predictorNone:
		return true
	case predictorHorizontal:
		return packed && (l.bits == 8 || l.bits == 16 || l.bits == 32 || l.bits == 64) && !l.clumped()
	case predictorFloat:
		return packed && l.format == formatFloat
	}
	return l.compression == compressionJPEG || l.fax() // which have none
}

// compressionRatios holds the most that a byte can expand to with each supported compression.
var compressionRatios = map[uint32]int64{
	compressionNone:     1,
	compressionLZW:      lzwRatio,
	compressionDeflate:  deflateRatio,
	compressionDeflate0: deflateRatio,
	compressionPackBits: packBitsRatio,
	compressionZstd:     zstdRatio,
	compressionLZMA:     lzmaRatio,
	compressionJPEG:     jpegRatio,
	compressionLog:      logRatio,
	compressionFaxRLE:   faxRatio,
	compressionFax3:     faxRatio,
	compressionFax4:     faxRatio,
}

func photometricName(v uint32) string {
	names := map[uint32]string{
		rawSensor: "raw sensor data", logL: "LogL colour", logLuv: "LogLuv colour", rawLinear: "linear raw data",
		51177: "a depth map",
	}
	return nameOr(names, v, "photometric interpretation")
}

func compressionName(v uint32) string {
	names := map[uint32]string{
		2: "CCITT RLE", 3: "CCITT Group 3", 4: "CCITT Group 4", 6: "old JPEG", 7: "JPEG",
		99: "JPEG", 9: "JBIG", 10: "JBIG", 32766: "NeXT", 32771: "word-aligned CCITT RLE", 32809: "ThunderScan",
		34661: "JBIG", 34676: "SGILog", 34677: "SGILog24", 32908: "Pixar film",
		32909: "Pixar log", 34712: "JPEG 2000", 33003: "JPEG 2000", 33005: "JPEG 2000", 34887: "LERC",
		34892: "lossy JPEG of DNG", 34925: "LZMA", 34933: "PNG", 34934: "JPEG XR",
		50000: "Zstandard", 50001: "WebP", 50002: "JPEG XL", 52546: "JPEG XL",
	}
	return nameOr(names, v, "unknown")
}

func formatName(v uint32) string {
	names := map[uint32]string{5: "complex integer", 6: "complex float"}
	return nameOr(names, v, "unknown")
}

func nameOr(names map[uint32]string, v uint32, other string) string {
	if n, ok := names[v]; ok {
		return n
	}
	return fmt.Sprintf("%s (%d)", other, v)
}
