package imageio

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

var (
	le = byteOrder(binary.LittleEndian)
	be = byteOrder(binary.BigEndian)
)

// outcome describes what a file decodes to: the colours, with A for alpha, the depth, and the samples of all channels
// as integers or floats. If there is an error, outcome returns its kind and text.
func outcome(data []byte, o ReadOptions) string {
	img, err := Decode(data, o)
	if err != nil {
		return kindName(err) + ": " + err.Error()
	}
	name := map[int]string{1: "gray", 3: "RGB", 4: "CMYK"}[len(img.Planes)]
	if img.Alpha != nil {
		name += "+A"
	}
	s := fmt.Sprintf("%v %d x %d %s %v", img.Format, img.Width, img.Height, name, img.Depth)
	for _, p := range img.channels() {
		var v []string
		for _, x := range p {
			k := math.Round(float64(x) * img.Depth.Max())
			if img.Depth != DepthFloat32 && x == float32(k)/float32(img.Depth.Max()) {
				v = append(v, fmt.Sprint(k))
			} else {
				v = append(v, fmt.Sprint(x))
			}
		}
		s += " " + strings.Join(v, ",")
	}
	return s
}

// is checks the outcome of a file.
func is(t *testing.T, what string, file []byte, o ReadOptions, want string) {
	t.Helper()
	if got := outcome(file, o); got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func kindName(err error) string {
	for _, k := range []struct {
		err  error
		name string
	}{{ErrFormat, "format"}, {ErrUnsupported, "unsupported"}, {ErrLimit, "limit"}, {ErrArgument, "argument"}} {
		if errors.Is(err, k.err) {
			return k.name
		}
	}
	return "other"
}

// packLZW compresses with the LZW of the standard library, which equals that of TIFF as long as codes have 9 bits.
func packLZW(p []byte) []byte {
	var b bytes.Buffer
	w := lzw.NewWriter(&b, lzw.MSB, 8)
	w.Write(p)
	w.Close()
	return b.Bytes()
}

func TestKindsPNG(t *testing.T) {
	plte := chunk{"PLTE", []byte{255, 0, 0, 1, 2, 3}}
	gray := filterNone([]byte{7, 200})
	good := buildPNG(2, 1, 8, pngGray, 0, gray)
	broken := bytes.Clone(good)
	broken[len(broken)-13] ^= 1 // last byte of the checksum of IDAT
	text := buildPNG(2, 1, 8, pngGray, 0, gray, chunk{"tEXt", []byte("a\x00b")})
	text[bytes.Index(text, []byte("tEXt"))+4] ^= 1
	method := changed(good, 26, 1)
	repairPNG(method)
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"gray", good, "PNG 2 x 1 gray 8-bit 7,200"},
		{"gray 1", buildPNG(3, 1, 1, pngGray, 0, filterNone([]byte{0xa0})), "PNG 3 x 1 gray 1-bit 1,0,1"},
		{"gray 2", buildPNG(4, 1, 2, pngGray, 0, filterNone([]byte{0x1b})), "PNG 4 x 1 gray 8-bit 0,85,170,255"},
		{"gray 4", buildPNG(2, 1, 4, pngGray, 0, filterNone([]byte{0x5f})), "PNG 2 x 1 gray 8-bit 85,255"},
		{"gray 16", buildPNG(2, 1, 16, pngGray, 0, filterNone([]byte{1, 2, 0xff, 0xfe})),
			"PNG 2 x 1 gray 16-bit 258,65534"},
		{"gray tRNS", buildPNG(2, 1, 8, pngGray, 0, gray, chunk{"tRNS", []byte{0, 200}}),
			"PNG 2 x 1 gray+A 8-bit 7,200 255,0"},
		{"gray 2 tRNS", buildPNG(4, 1, 2, pngGray, 0, filterNone([]byte{0x1b}), chunk{"tRNS", []byte{0, 1}}),
			"PNG 4 x 1 gray+A 8-bit 0,85,170,255 255,0,255,255"},
		{"gray 16 tRNS", buildPNG(2, 1, 16, pngGray, 0, filterNone([]byte{1, 2, 1, 3}), chunk{"tRNS", []byte{1, 2}}),
			"PNG 2 x 1 gray+A 16-bit 258,259 0,65535"},
		{"gray alpha", buildPNG(2, 1, 8, pngGrayAlpha, 0, filterNone([]byte{9, 0, 8, 128})),
			"PNG 2 x 1 gray+A 8-bit 9,8 0,128"},
		{"gray alpha 16", buildPNG(1, 1, 16, pngGrayAlpha, 0, filterNone([]byte{1, 0, 2, 0})),
			"PNG 1 x 1 gray+A 16-bit 256 512"},
		{"RGB", buildPNG(1, 1, 8, pngRGB, 0, filterNone([]byte{1, 2, 3})), "PNG 1 x 1 RGB 8-bit 1 2 3"},
		{"RGB 16", buildPNG(1, 1, 16, pngRGB, 0, filterNone([]byte{0, 1, 0, 2, 1, 0})), "PNG 1 x 1 RGB 16-bit 1 2 256"},
		{"RGB tRNS", buildPNG(2, 1, 8, pngRGB, 0, filterNone([]byte{1, 2, 3, 1, 2, 4}),
			chunk{"tRNS", []byte{0, 1, 0, 2, 0, 4}}),
			"PNG 2 x 1 RGB+A 8-bit 1,1 2,2 3,4 255,0"},
		{"RGB 16 tRNS", buildPNG(1, 1, 16, pngRGB, 0, filterNone([]byte{0, 1, 0, 2, 1, 0}),
			chunk{"tRNS", []byte{0, 1, 0, 2, 1, 0}}),
			"PNG 1 x 1 RGB+A 16-bit 1 2 256 0"},
		{"RGBA, colour under alpha 0", buildPNG(1, 1, 8, pngRGBA, 0, filterNone([]byte{1, 2, 3, 0})),
			"PNG 1 x 1 RGB+A 8-bit 1 2 3 0"},
		{"RGBA 16", buildPNG(1, 1, 16, pngRGBA, 0, filterNone([]byte{0, 1, 0, 2, 1, 0, 0, 3})),
			"PNG 1 x 1 RGB+A 16-bit 1 2 256 3"},
		{"palette", buildPNG(2, 1, 8, pngPalette, 0, filterNone([]byte{1, 0}), plte),
			"PNG 2 x 1 RGB 8-bit 1,255 2,0 3,0"},
		{"palette 1", buildPNG(2, 1, 1, pngPalette, 0, filterNone([]byte{0x40}), plte),
			"PNG 2 x 1 RGB 8-bit 255,1 0,2 0,3"},
		{"palette tRNS", buildPNG(2, 1, 8, pngPalette, 0, filterNone([]byte{1, 0}), plte, chunk{"tRNS", []byte{0}}),
			"PNG 2 x 1 RGB+A 8-bit 1,255 2,0 3,0 255,0"},
		{"palette tRNS opaque", buildPNG(1, 1, 8, pngPalette, 0, filterNone([]byte{1}), plte,
			chunk{"tRNS", []byte{255, 255}}),
			"PNG 1 x 1 RGB+A 8-bit 1 2 3 255"},
		{"interlaced", buildPNG(3, 2, 8, pngGray, 1, adam7(3, 2, func(x, y int) byte { return byte(10*y + x) })),
			"PNG 3 x 2 gray 8-bit 0,1,2,10,11,12"},
		{"Exif orientation 6", buildPNG(2, 1, 8, pngGray, 0, gray, chunk{"eXIf", exifBlock(be, 6)}),
			"PNG 1 x 2 gray 8-bit 7,200"},
		{"Exif orientation 3", buildPNG(2, 1, 8, pngGray, 0, gray, chunk{"eXIf", exifBlock(le, 3)}),
			"PNG 2 x 1 gray 8-bit 200,7"},
		{"Exif orientation 9", buildPNG(2, 1, 8, pngGray, 0, gray, chunk{"eXIf", exifBlock(le, 9)}),
			"PNG 2 x 1 gray 8-bit 7,200"},
		{"Exif of garbage", buildPNG(2, 1, 8, pngGray, 0, gray, chunk{"eXIf", []byte("II*\x00\x08")}),
			"PNG 2 x 1 gray 8-bit 7,200"},

		{"animated", buildPNG(2, 1, 8, pngGray, 0, gray, chunk{"acTL", make([]byte, 8)}),
			"unsupported: animated PNG is not supported"},
		{"checksum", broken, "format: damaged PNG: invalid checksum"},
		{"checksum of a side matter", text, "PNG 2 x 1 gray 8-bit 7,200"},
		{"truncated", good[:len(good)-13], "format: damaged PNG: unexpected EOF"},
		{"signature only", good[:8], "format: damaged PNG: unexpected EOF"},
		{"no width", buildPNG(0, 1, 8, pngGray, 0, nil), "format: damaged PNG: 0 x 1 pixels"},
		{"no height", buildPNG(1, 0, 8, pngGray, 0, nil), "format: damaged PNG: 1 x 0 pixels"},
		{"bad depth", buildPNG(1, 1, 3, pngGray, 0, []byte{0, 0}), "format: damaged PNG: colour type 0 with 3 bits"},
		{"bad colour type", buildPNG(1, 1, 8, 5, 0, []byte{0, 0}), "format: damaged PNG: colour type 5 with 8 bits"},
		{"another compression", method, "unsupported: PNG with compression method is not supported"},
		{"no header", []byte(pngSignature + "\x00\x00\x00\x0dIDAT\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
			"format: damaged PNG: no header chunk"},
		{"rows missing", buildPNG(2, 2, 8, pngGray, 0, gray), "format: damaged PNG: not enough pixel data"},
	} {
		is(t, c.name, c.file, ReadOptions{}, c.want)
	}
	must.Fail(t, "opening a file without its end", must.Err(NewReader(good[:len(good)-13], ReadOptions{})), ErrPartial)
}

func TestKindsJPEG(t *testing.T) {
	flat := image.NewGray(image.Rect(0, 0, 2, 1))
	copy(flat.Pix, []byte{128, 128})
	gray := buildJPEG(t, flat)
	red := image.NewRGBA(image.Rect(0, 0, 1, 1))
	red.Set(0, 0, color.RGBA{254, 0, 0, 255})
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"gray", gray, "JPEG 2 x 1 gray 8-bit 128,128"},
		{"colour", buildJPEG(t, red), "JPEG 1 x 1 RGB 8-bit 254 0 0"},
		{"Exif orientation 5", withExif(gray, exifBlock(le, 5)), "JPEG 1 x 2 gray 8-bit 128,128"},
		{"CMYK without pixels", jpegFrame(0xc0, 8, 8, 8, 4), "format: damaged JPEG: unexpected EOF"},
		{"two components", jpegFrame(0xc0, 8, 8, 8, 2), "unsupported: JPEG of 2 components is not supported"},
		{"12 bits", jpegFrame(0xc1, 12, 8, 8, 3), "unsupported: 12-bit JPEG is not supported"},
		{"lossless", jpegFrame(0xc3, 8, 8, 8, 3), "unsupported: lossless JPEG is not supported"},
		{"hierarchical", jpegFrame(0xc5, 8, 8, 8, 3), "unsupported: hierarchical JPEG is not supported"},
		{"arithmetic", jpegFrame(0xc9, 8, 8, 8, 3), "format: damaged JPEG: unexpected EOF"},
		{"lossless, arithmetic", jpegFrame(0xcb, 8, 8, 8, 3), "unsupported: lossless JPEG is not supported"},
		{"no height", jpegFrame(0xc0, 8, 8, 0, 3), "format: damaged JPEG: 8 x 0 pixels"},
		{"no width", jpegFrame(0xc0, 8, 0, 8, 3), "format: damaged JPEG: 0 x 8 pixels"},
		{"truncated", gray[:len(gray)-4], "format: damaged JPEG: unexpected EOF"},
		{"nothing but its ends", []byte("\xff\xd8\xff\xd9"), "format: damaged JPEG: unexpected EOF"},
		{"no frame", gray[:20], "format: damaged JPEG: unexpected EOF"},
		{"too many scans", append(jpegFrame(0xc2, 8, 8, 8, 1), bytes.Repeat([]byte{0xff, 0xda, 0, 2}, 101)...),
			"limit: JPEG of 101 scans, limit is 100"},
	} {
		is(t, c.name, c.file, ReadOptions{}, c.want)
	}
}

func TestKindsTIFF(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	b8, b16, b32 := []uint32{8}, []uint32{16}, []uint32{32}
	gray := pixels(2, 1, blackIsZero, b8, []byte{7, 200})
	rgb8 := pixels(1, 1, rgb, []uint32{8, 8, 8}, []byte{1, 2, 3})
	rgba := pixels(1, 1, rgb, []uint32{8, 8, 8, 8}, []byte{1, 2, 3, 0})
	ga := pixels(1, 1, blackIsZero, []uint32{8, 8}, []byte{1, 2}).with(tagExtraSamples, alphaUnassociated)
	float := func(order byteOrder, v ...float32) page {
		return pixels(uint32(len(v)), 1, blackIsZero, b32, floatBytes(order, v...)).with(tagSampleFormat, formatFloat)
	}
	chroma := pixels(2, 2, ycbcr, []uint32{8, 8, 8}, []byte{10, 20, 30, 40, 128, 138})
	strips := gray.with(tagImageLength, 2).with(tagRowsPerStrip, 1)
	strips.strips = [][]byte{{1, 2}, {3, 4}}
	packed := func(p page, compression uint32, data []byte) page {
		p = p.with(tagCompression, compression)
		p.strips = [][]byte{data}
		return p
	}
	tiled := gray.with(tagTileWidth, 16).with(tagTileLength, 16)
	tiled.tiles, tiled.strips = true, [][]byte{append([]byte{7, 200}, make([]byte, 254)...)}
	colours := func(scale uint32) page {
		m := make([]uint32, 6)
		for i := range m {
			m[i] = uint32(i+1) * scale
		}
		return pixels(2, 1, palette, b8, []byte{1, 0}).with(320, m...)
	}
	for _, c := range []struct {
		name  string
		pages []page
		want  string
	}{
		{"gray", []page{gray}, "TIFF 2 x 1 gray 8-bit 7,200"},
		{"gray in strips", []page{strips}, "TIFF 2 x 2 gray 8-bit 1,2,3,4"},
		{"gray 1 bit", []page{pixels(3, 1, blackIsZero, []uint32{1}, []byte{0xa0})}, "TIFF 3 x 1 gray 1-bit 1,0,1"},
		{"white is zero", []page{gray.with(tagPhotometric, whiteIsZero)}, "TIFF 2 x 1 gray 8-bit 248,55"},
		{"white is zero, alpha", []page{ga.with(tagPhotometric, whiteIsZero)}, "TIFF 1 x 1 gray+A 8-bit 254 2"},
		{"white is zero, deflate", []page{packed(gray.with(tagPhotometric, whiteIsZero), compressionDeflate,
			deflate([]byte{7, 200}))}, "TIFF 2 x 1 gray 8-bit 248,55"},
		{"gray alpha", []page{ga}, "TIFF 1 x 1 gray+A 8-bit 1 2"},
		{"RGB", []page{rgb8}, "TIFF 1 x 1 RGB 8-bit 1 2 3"},
		{"RGBA, colour under alpha 0", []page{rgba.with(tagExtraSamples, alphaUnassociated)},
			"TIFF 1 x 1 RGB+A 8-bit 1 2 3 0"},
		{"deflate RGBA", []page{packed(rgba.with(tagExtraSamples, alphaUnassociated), compressionDeflate,
			deflate([]byte{1, 2, 3, 0}))}, "TIFF 1 x 1 RGB+A 8-bit 1 2 3 0"},
		{"palette", []page{colours(257)}, "TIFF 2 x 1 RGB 8-bit 2,1 4,3 6,5"},
		{"palette, shifted", []page{colours(256)}, "TIFF 2 x 1 RGB 8-bit 2,1 4,3 6,5"},
		{"palette of 16-bit colours", []page{colours(1000)}, "TIFF 2 x 1 RGB 16-bit 2000,1000 4000,3000 6000,5000"},
		{"LZW", []page{packed(gray, compressionLZW, packLZW([]byte{7, 200}))}, "TIFF 2 x 1 gray 8-bit 7,200"},
		{"LZW, predictor", []page{packed(gray, compressionLZW, packLZW([]byte{7, 193})).with(tagPredictor, 2)},
			"TIFF 2 x 1 gray 8-bit 7,200"},
		{"PackBits", []page{packed(gray, compressionPackBits, []byte{1, 7, 200})}, "TIFF 2 x 1 gray 8-bit 7,200"},
		{"tiles", []page{tiled}, "TIFF 2 x 1 gray 8-bit 7,200"},
		{"oriented", []page{gray.with(tagOrientation, 6)}, "TIFF 1 x 2 gray 8-bit 7,200"},
		{"oriented 2", []page{gray.with(tagOrientation, 2)}, "TIFF 2 x 1 gray 8-bit 200,7"},
		{"float, any sign and size", []page{float(le, -0.5, 3)}, "TIFF 2 x 1 gray float32 -0.5,3"},
		{"float RGB", []page{pixels(1, 1, rgb, []uint32{32, 32, 32}, floatBytes(le, 1, 2, 3)).with(tagSampleFormat, 3,
			3, 3)}, "TIFF 1 x 1 RGB float32 1 2 3"},

		{"two pages", []page{gray, gray},
			"unsupported: TIFF with 2 pages, where one image is wanted, is not supported"},
		{"sub-images", []page{gray.with(tagSubIFDs, 8)},
			"unsupported: TIFF with sub-images (SubIFDs) that are no pyramid levels is not supported"},
		{"planar without blocks", []page{rgb8.with(tagPlanarConfig, 2)},
			"format: damaged TIFF: 1 strips or tiles of 3"},
		{"planar of a third kind", []page{rgb8.with(tagPlanarConfig, 3)},
			"unsupported: TIFF with planar configuration 3 is not supported"},
		{"planar of one plane", []page{gray.with(tagPlanarConfig, 2)}, "TIFF 2 x 1 gray 8-bit 7,200"},
		{"CMYK", []page{rgba.with(tagPhotometric, separated)}, "TIFF 1 x 1 CMYK 8-bit 254 253 252 255"},
		{"other inks", []page{rgba.with(tagPhotometric, separated).with(tagInkSet, 2)},
			"TIFF 1 x 1 gray 8-bit 1 2 3 0"},
		{"YCbCr", []page{chroma},
			"TIFF 2 x 2 RGB 8-bit 24,34,44,54 3,13,23,33 10,20,30,40"},
		{"unknown colour", []page{rgb8.with(tagPhotometric, 77)},
			"unsupported: TIFF with photometric interpretation (77) is not supported"},
		{"premultiplied", []page{rgba.with(tagExtraSamples, alphaAssociated)}, "TIFF 1 x 1 RGB+A 8-bit 1 2 3 0"},
		{"unspecified sample", []page{rgba.with(tagExtraSamples, 0)}, "TIFF 1 x 1 RGB 8-bit 1 2 3 0"},
		{"no word on the sample", []page{rgba}, "TIFF 1 x 1 RGB 8-bit 1 2 3 0"},
		{"5 samples", []page{pixels(1, 1, rgb, []uint32{8, 8, 8, 8, 8}, make([]byte, 5))},
			"TIFF 1 x 1 RGB 8-bit 0 0 0 0 0"},
		{"mixed sizes", []page{rgb8.with(tagBitsPerSample, 5, 6, 5)},
			"unsupported: TIFF with more than one sample size is not supported"},
		{"4 bits", []page{gray.with(tagBitsPerSample, 4)}, "TIFF 2 x 1 gray 4-bit 0,7"},
		{"2 bits, inverted", []page{gray.with(tagBitsPerSample, 2).with(tagPhotometric, whiteIsZero)},
			"TIFF 2 x 1 gray 2-bit 3,3"},
		{"12 bits", []page{pixels(2, 1, blackIsZero, []uint32{12}, []byte{0x12, 0x34, 0x56})},
			"TIFF 2 x 1 gray 12-bit 291,1110"},
		{"24 bits", []page{pixels(1, 1, blackIsZero, []uint32{24}, []byte{1, 2, 3})}, "TIFF 1 x 1 gray 24-bit 197121"},
		{"40 bits", []page{gray.with(tagBitsPerSample, 40)},
			"unsupported: TIFF with 40-bit integer samples is not supported"},
		{"32-bit integers", []page{float(le, 1).with(tagSampleFormat, 1)}, "TIFF 1 x 1 gray 32-bit 1.065353216e+09"},
		{"signed", []page{gray.with(tagSampleFormat, 2)}, "TIFF 2 x 1 gray signed 8-bit 7,-56"},
		{"half floats", []page{pixels(1, 1, 1, b16, make([]byte, 2)).with(tagSampleFormat, 3)},
			"TIFF 1 x 1 gray float16 0"},
		{"inverted floats", []page{float(le, 1).with(tagPhotometric, whiteIsZero)}, "TIFF 1 x 1 gray float32 1"},
		{"JPEG in TIFF", []page{gray.with(tagCompression, 7)}, "format: damaged TIFF: strip or tile 0 is no JPEG file"},
		{"fax", []page{gray.with(tagCompression, 4)},
			"unsupported: TIFF with CCITT Group 4 compression of 1 samples of 8 bits is not supported"},
		{"Zstandard", []page{gray.with(tagCompression, 50000)}, "format: damaged TIFF: strip or tile 0 is too short"},
		{"compressed float", []page{packed(float(le, 1), compressionDeflate, deflate(floatBytes(le, -2)))},
			"TIFF 1 x 1 gray float32 -2"},
		{"float predictor", []page{packed(gray, compressionDeflate, deflate([]byte{7, 200})).with(tagPredictor, 3)},
			"unsupported: TIFF with predictor 3 is not supported"},
		{"predictor without compression", []page{gray.with(tagPredictor, 2)},
			"unsupported: TIFF with predictor 2 is not supported"},
		{"reversed bits", []page{gray.with(tagFillOrder, 2)}, "TIFF 2 x 1 gray 8-bit 224,19"},

		{"NaN", []page{float(le, 0, nan, inf)}, "format: NaN or Inf at pixel (1, 0)"},
		{"Inf", []page{float(le, inf)}, "format: NaN or Inf at pixel (0, 0)"},
		{"NaN in the third plane", []page{pixels(1, 2, rgb, []uint32{32, 32, 32},
			floatBytes(le, 1, 2, 3, 4, 5, nan)).with(tagSampleFormat, 3)}, "format: NaN or Inf at pixel (0, 1)"},
		{"no width", []page{gray.with(tagImageWidth, 0)}, "format: damaged TIFF: 0 x 1 pixels"},
		{"no height", []page{gray.with(tagImageLength, 0)}, "format: damaged TIFF: 2 x 0 pixels"},
		{"strip too short", []page{gray.with(tagImageWidth, 3)},
			"format: damaged TIFF: 2 bytes of data are too few for its size"},
		{"strip missing", []page{gray.with(tagImageLength, 2).with(tagRowsPerStrip, 1)},
			"format: damaged TIFF: 1 strips or tiles of 2"},
		{"rows of no strip", []page{gray.with(tagRowsPerStrip, 0)}, "format: damaged TIFF: strips or tiles of no size"},
		{"two sample sizes", []page{rgb8.with(tagBitsPerSample, 8, 8)},
			"format: damaged TIFF: 2 sample sizes for 3 samples"},
		{"palette of four numbers", []page{colours(1).with(tagColorMap, 1, 2, 3, 4)},
			"format: damaged TIFF: colour map of 4 values instead of 768"},
		{"YCbCr, levels", []page{chroma.with(tagReferenceBW, 16, 235, 128, 240, 128, 240)},
			"TIFF 2 x 2 RGB 8-bit 9,19,31,42 0,0,8,19 0,4,16,27"},
		{"YCbCr, three pixels", []page{chroma.with(tagYCbCrSampling, 3, 1)},
			"format: damaged TIFF: chroma samples of 3 x 1 pixels"},
		{"raw", []page{gray.with(tagPhotometric, rawSensor)},
			"unsupported: camera raw file, which is not supported: " + adviceRaw},
		{"no xz data", []page{packed(gray, compressionLZMA, make([]byte, 20))},
			"format: damaged TIFF: no xz data"},
		{"other xz filter", []page{packed(gray, compressionLZMA, []byte("\xfd7zXZ\x00"+"\x00\x00"+"\x00\x00\x00\x00"+
			"\x02\x00\x04\x01\x08"+"\x00\x00\x00"+"\x00\x00\x00\x00"))},
			"unsupported: TIFF with other xz filters than LZMA2 and delta is not supported"},
		{"no samples", []page{rgb8.with(tagPhotometric, cieLab).with(tagSamplesPerPixel, 0).with(tagBitsPerSample, 8)},
			"format: damaged TIFF: 0 samples per pixel"},
		{"too few samples", []page{rgb8.with(tagSamplesPerPixel, 1).with(tagBitsPerSample, 8)},
			"format: damaged TIFF: 1 samples per pixel"},
		{"broken deflate", []page{packed(gray, compressionDeflate, []byte{1, 2, 3})},
			"format: damaged TIFF: strip or tile 0: zlib: invalid header"},
	} {
		is(t, c.name, buildTIFF(le, c.pages...), ReadOptions{}, c.want)
	}
	for _, order := range []byteOrder{le, be} {
		word := func(v ...uint16) (b []byte) {
			for _, x := range v {
				b = order.AppendUint16(b, x)
			}
			return b
		}
		for _, c := range []struct {
			page page
			want string
		}{
			{pixels(2, 1, blackIsZero, b16, word(258, 65534)), "TIFF 2 x 1 gray 16-bit 258,65534"},
			{pixels(1, 1, rgb, []uint32{16, 16, 16}, word(1, 2, 256)), "TIFF 1 x 1 RGB 16-bit 1 2 256"},
			{pixels(1, 1, rgb, []uint32{16, 16, 16, 16}, word(1, 2, 256, 0)).with(tagExtraSamples, 2),
				"TIFF 1 x 1 RGB+A 16-bit 1 2 256 0"},
			{packed(pixels(1, 1, rgb, []uint32{16, 16, 16}, nil), compressionDeflate, deflate(word(1, 2, 256))),
				"TIFF 1 x 1 RGB 16-bit 1 2 256"},
			{pixels(1, 1, blackIsZero, []uint32{16, 16}, word(1, 2)).with(tagExtraSamples, 2),
				"TIFF 1 x 1 gray+A 16-bit 1 2"},
			{float(order, -0.5, 3), "TIFF 2 x 1 gray float32 -0.5,3"},
		} {
			is(t, fmt.Sprint(order), buildTIFF(order, c.page), ReadOptions{}, c.want)
		}
	}
}

// The end of a file is one whatever a decoder calls it.
func TestEndsOfDecoders(t *testing.T) {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
		for format, err := range map[Format]error{PNG: pngError(end), WebP: webpError(end)} {
			if err.Error() != truncated(format).Error() {
				t.Errorf("%v: %v", end, err)
			}
		}
	}
}

func TestWhite(t *testing.T) {
	p := pixels(1, 1, blackIsZero, []uint32{32, 32}, floatBytes(le, 500, 0.5)).with(tagSampleFormat,
		3).with(tagExtraSamples, 2)
	is(t, "white", buildTIFF(le, p), ReadOptions{White: 1000}, "TIFF 1 x 1 gray+A float32 0.5 0.5")
	is(t, "less", buildTIFF(le, p), ReadOptions{White: -1}, "argument: white level -1, must be positive and finite")
	is(t, "tiny", buildTIFF(le, p), ReadOptions{White: 1e-40},
		"unsupported: samples beyond 3.403e+38, the range of 32-bit floats")
}

func TestNotAnImage(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"nothing": {nil, "format: empty file (0 bytes)"},
		"text":    {[]byte("hello, I am a text"), "format: not a PNG, JPEG, TIFF, WebP, BMP or PNM file"},
		"GIF": {[]byte("GIF89a"),
			"unsupported: GIF file, which is not supported: export it as TIFF or PNG first"},
		"short BigTIFF":    {[]byte("II+\x00\x08\x00\x00\x00"), "format: damaged TIFF: unexpected EOF"},
		"odd BigTIFF":      {[]byte("MM\x00+\x00\x04\x00\x00\x00\x00\x00\x08"), "format: damaged TIFF: bad header"},
		"TIFF of 4 bytes":  {[]byte("II*\x00"), "format: damaged TIFF: unexpected EOF"},
		"TIFF without IFD": {[]byte("II*\x00\xff\xff\xff\xff"), "format: damaged TIFF: directory outside the file"},
	} {
		is(t, name, c.file, ReadOptions{}, c.want)
	}
}
