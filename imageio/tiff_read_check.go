package imageio

import "fmt"

// checkFile refuses sub-images and rare ways to store bits.
func (l *tiffLayout) checkFile(dir *ifd) error {
	if err := l.readLevels(dir); err != nil {
		return err
	}
	t := tags{dir: dir}
	planar, fill := t.uint(tagPlanarConfig, 1), t.uint(tagFillOrder, 1)
	switch {
	case t.err != nil:
		return t.err
	case planar != 1 && planar != 2:
		return unsupportedTIFF("planar configuration %d", planar)
	case fill != 1:
		return unsupportedTIFF("reversed bits (fill order %d)", fill)
	}
	return nil
}

// checkAlpha finds out what the samples after the colours mean. Premultiplied alpha is refused because the colours under
// it cannot be recovered exactly.
func (l *tiffLayout) checkAlpha(dir *ifd) error {
	extra, err := dir.uints(tagExtraSamples, maxSamples)
	if err != nil {
		return err
	}
	colours := uint32(1)
	switch l.photometric {
	case whiteIsZero, blackIsZero, palette:
	case rgb:
		colours = 3
	case separated:
		colours = 4
		if ink, err := dir.uint(tagInkSet, 1); err != nil || ink != 1 {
			return unsupportedTIFF("inks that are not CMYK")
		}
	default:
		return unsupportedTIFF("%s", photometricName(l.photometric))
	}
	switch {
	case l.samples < colours:
		return damagedf(TIFF, "%d samples per pixel", l.samples)
	case l.samples == colours:
		return nil
	case l.samples > colours+1 || colours == 4:
		return unsupportedTIFF("%d samples per pixel", l.samples)
	case len(extra) == 1 && extra[0] == alphaUnassociated:
		l.alpha = true
		return nil
	case len(extra) == 1 && extra[0] == alphaAssociated:
		return unsupportedTIFF("premultiplied (associated) alpha")
	}
	return unsupportedTIFF("an extra sample of unknown meaning")
}

// checkSamples refuses combinations of sample type, colour and compression that are not supported.
func (l *tiffLayout) checkSamples(*ifd) error {
	ratio, ok := compressionRatios[l.compression]
	if !ok {
		return unsupportedTIFF("%s compression", compressionName(l.compression))
	}
	isFloat := l.format == formatFloat
	switch {
	case !isFloat && l.format != formatUint:
		return unsupportedTIFF("%s samples", formatName(l.format))
	case isFloat && l.bits != 32:
		return unsupportedTIFF("%d-bit float samples", l.bits)
	case !isFloat && l.bits != 1 && l.bits != 2 && l.bits != 4 && l.bits != 8 && l.bits != 16:
		return unsupportedTIFF("%d-bit integer samples", l.bits)
	case l.bits < 8 && l.samples > 1:
		return unsupportedTIFF("%d samples of %d bits", l.samples, l.bits)
	case l.photometric == palette && (l.bits > 8 || l.alpha):
		return unsupportedTIFF("a palette of %d bits and %d samples", l.bits, l.samples)
	case isFloat && (l.photometric == whiteIsZero || l.photometric == separated):
		return unsupportedTIFF("inverted float samples")
	case !l.predictable():
		return unsupportedTIFF("predictor %d", l.predictor)
	}
	l.ratio = ratio
	return nil
}

// predictable reports whether the predictor is used as the specifications say: on whole bytes, with LZW or Deflate. With
// other compressions, some programs apply it and some do not.
func (l *tiffLayout) predictable() bool {
	packed := l.compression != compressionNone && l.compression != compressionPackBits
	switch l.predictor {
	case predictorNone:
		return true
	case predictorHorizontal:
		return packed && l.bits >= 8
	case predictorFloat:
		return packed && l.format == formatFloat
	}
	return false
}

// compressionRatios holds the most that a byte can expand to with each supported compression.
var compressionRatios = map[uint32]int64{
	compressionNone:     1,
	compressionLZW:      lzwRatio,
	compressionDeflate:  deflateRatio,
	compressionDeflate0: deflateRatio,
	compressionPackBits: packBitsRatio,
}

func photometricName(v uint32) string {
	names := map[uint32]string{
		4: "a transparency mask", 6: "YCbCr colour", 8: "CIELab colour", 9: "ICCLab colour",
		10: "ITULab colour", 32803: "raw sensor data", 32844: "LogL colour", 32845: "LogLuv colour", 34892: "linear raw data",
	}
	return nameOr(names, v, "photometric interpretation")
}

func compressionName(v uint32) string {
	names := map[uint32]string{
		2: "CCITT RLE", 3: "CCITT Group 3", 4: "CCITT Group 4", 6: "old JPEG", 7: "JPEG",
		34712: "JPEG 2000", 34887: "LERC", 34925: "LZMA", 50000: "Zstandard", 50001: "WebP", 50002: "JPEG XL",
	}
	return nameOr(names, v, "unknown")
}

func formatName(v uint32) string {
	names := map[uint32]string{2: "signed integer", 4: "untyped", 5: "complex integer", 6: "complex float"}
	return nameOr(names, v, "unknown")
}

func nameOr(names map[uint32]string, v uint32, other string) string {
	if n, ok := names[v]; ok {
		return n
	}
	return fmt.Sprintf("%s (%d)", other, v)
}
