package imageio

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// rareTIFFs returns small pages of rare compressions, samples and colours.
func rareTIFFs(t testing.TB) []page {
	t.Helper()
	gray := make([]byte, 16*16)
	for i := range gray {
		gray[i] = byte(i * i)
	}
	z := must.Get(zstd.NewWriter(nil))(t)
	var packed bytes.Buffer
	x := must.Get(xz.NewWriter(&packed))(t)
	x.Write(gray)
	x.Close()
	one := []uint32{1}
	flat := []byte{0x35, 0x35, 0x35, 0x35} // a code of a run, over and over
	text := bytes.Repeat([]byte{0x00, 0x1a, 0x8e, 0x5c}, 12)
	colour := buildJPEG(t, scene(16, 16))
	list := []page{
		pixels(16, 16, whiteIsZero, one, bytes.Repeat([]byte{0xff}, 6)).with(tagCompression, compressionFax4),
		pixels(16, 4, whiteIsZero, one, flat).with(tagCompression, compressionFaxRLE),
		pixels(16, 4, whiteIsZero, one, text).with(tagCompression, compressionFax3),
		pixels(16, 4, whiteIsZero, one, text).with(tagCompression, compressionFax3).with(tagT4Options, 1),
		pixels(16, 16, blackIsZero, []uint32{8}, z.EncodeAll(gray, nil)).with(tagCompression,
			compressionZstd).with(tagPredictor, 2),
		pixels(16, 16, blackIsZero, []uint32{8}, packed.Bytes()).with(tagCompression, compressionLZMA),
		pixels(16, 16, ycbcr, []uint32{8, 8, 8}, colour).with(tagCompression, compressionJPEG).with(tagYCbCrSampling, 2,
			2),
		pixels(8, 8, ycbcr, []uint32{8, 8, 8}, gray[:96]).with(tagYCbCrSampling, 2, 2),
		pixels(8, 8, ycbcr, []uint32{8, 8, 8}, gray[:192]).with(tagYCbCrSampling, 1, 1),
		pixels(2, 2, logLuv, []uint32{16, 16, 16}, []byte{2, 0x40, 0x41, 130, 0, 2, 1, 2, 130, 9, 2, 3, 4, 130, 9, 2, 3,
			4, 130, 9, 2, 3, 4, 130, 9}).with(tagCompression, compressionLog),
		pixels(2, 1, logL, []uint32{16}, []byte{2, 0x40, 0x41, 130, 7}).with(tagCompression, compressionLog),
		pixels(4, 3, blackIsZero, []uint32{12}, gray[:18]),
		pixels(4, 3, rgb, []uint32{10, 10, 10}, gray[:45]),
		pixels(2, 2, blackIsZero, []uint32{24}, gray[:12]),
		pixels(2, 2, blackIsZero, []uint32{32}, gray[:16]),
		pixels(2, 2, blackIsZero, []uint32{32}, gray[:16]).with(tagSampleFormat, kindInt),
		pixels(2, 2, blackIsZero, []uint32{16}, gray[:8]).with(tagSampleFormat, kindFloat),
		pixels(2, 2, blackIsZero, []uint32{64}, floatBytes(le, 1, 2, 3, 4, 5, 6, 7, 8)).with(tagSampleFormat,
			kindFloat),
		pixels(2, 2, blackIsZero, []uint32{8, 8, 8, 8, 8}, gray[:20]),
		pixels(2, 2, rgb, []uint32{8, 8, 8, 8, 8}, gray[:20]).with(tagExtraSamples, 0, alphaAssociated),
		pixels(2, 2, separated, []uint32{8, 8, 8, 8, 8}, gray[:20]).with(tagExtraSamples, alphaUnassociated),
		pixels(2, 2, separated, []uint32{8, 8}, gray[:8]).with(tagInkSet, 2),
		pixels(2, 2, cieLab, []uint32{8, 8, 8}, gray[:12]),
		pixels(2, 1, palette, []uint32{8, 8}, []byte{1, 9, 0, 200}).with(tagColorMap, 1, 2, 3, 4, 5,
			6).with(tagExtraSamples, alphaUnassociated),
		// as before TIFF 6.0
		pixels(16, 16, blackIsZero, []uint32{8}, []byte{0, 1, 2, 3, 4, 5, 6}).with(tagCompression, compressionLZW),
	}
	return list
}

// smallOthers returns small files of the formats that are only read.
func smallOthers(t testing.TB) [][]byte {
	t.Helper()
	list := [][]byte{
		[]byte("P1\n3 2\n1 0 1 0 1 0\n"), []byte("P2 # a comment\n2 2 9\n1 2 3 9\n"), []byte("P3\n1 1\n255\n1 2 3\n"),
		[]byte("P4\n9 2\n\xaa\x80\x55\x00"), []byte("P5\n2 2\n255\n\x01\x02\x03\x04"),
		[]byte("P5\n1 1\n4095\n\x01\x02"), []byte("P6 1 1 99 abc"),
		[]byte("P7\nWIDTH 1\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcdefgh"),
		append([]byte("Pf\n2 1\n-1.0\n"), floatBytes(le, 0.5, 2)...),
		append([]byte("PF\n1 1\n1\n"), floatBytes(be, 0.5, 2, -1)...),
	}
	for _, bits := range []int{1, 4, 8, 16, 24, 32} {
		list = append(list, buildBMP(5, 3, bits, bmpRGB, bytes.Repeat([]byte{0x5a, 0x11}, 40)[:3*((5*bits+31)/32*4)]))
	}
	list = append(list, buildBMP(5, 3, 8, bmpRLE8, []byte{3, 1, 2, 0, 0, 0, 0, 3, 1, 2, 3, 0, 0, 2, 1, 0, 2, 5, 0, 1}),
		buildBMP(5, 3, 4, bmpRLE4, []byte{5, 0x12, 0, 0, 0, 5, 0x12, 0x34, 0x50, 0, 0, 1}),
		buildBMP(5, -3, 24, bmpRGB, make([]byte, 48)))
	return append(list, smallWebPs()...)
}

// buildBMP returns a bitmap with a palette of grays and colours.
func buildBMP(w, h int32, bits int, compression uint32, pixels []byte) []byte {
	a := binary.LittleEndian
	var colours []byte
	if bits <= 8 {
		for i := range 1 << bits {
			colours = append(colours, byte(i*7), byte(i*5), byte(i*3), 0)
		}
	}
	b := append([]byte("BM"), make([]byte, 12)...)
	a.PutUint32(b[10:], uint32(14+40+len(colours)))
	b = a.AppendUint32(b, 40)
	b = a.AppendUint32(a.AppendUint32(b, uint32(w)), uint32(h))
	b = a.AppendUint16(a.AppendUint16(b, 1), uint16(bits))
	b = a.AppendUint32(b, compression)
	b = append(b, make([]byte, 20)...)
	a.PutUint32(b[14+24:], 3780) // pixels a metre
	a.PutUint32(b[14+28:], 3780)
	return append(append(b, colours...), pixels...)
}

func TestRareTIFFs(t *testing.T) {
	read := 0
	for i, p := range rareTIFFs(t) {
		img, err := Decode(buildTIFF(le, p), ReadOptions{})
		if err != nil {
			t.Logf("%d: %v", i, err)
			continue
		}
		read++
		again := readBack(t, img, WriteOptions{Format: TIFF})
		if !same(img, again) || img.Premultiplied != again.Premultiplied ||
			fmt.Sprint(img.stored.wide) != fmt.Sprint(again.stored.wide) || len(img.Extra) != len(again.Extra) {
			t.Errorf("%d: other samples come back", i)
		}
	}
	if read < 21 {
		t.Errorf("only %d are read", read)
	}
}

func TestKindsOfOthers(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"PBM, text", "P1\n3 1\n1 0 1\n", "PNM 3 x 1 gray 1-bit 0,1,0"},
		{"PBM, no spaces", "P1 3 1\n101", "PNM 3 x 1 gray 1-bit 0,1,0"},
		{"PGM, text", "P2 # a comment\n2 # another\n1 9\n1 9\n", "PNM 2 x 1 gray 8-bit 28,255"},
		{"PPM, text", "P3\n1 1\n255\n1 2 3\n", "PNM 1 x 1 RGB 8-bit 1 2 3"},
		{"PBM", "P4\n9 1\n\xaa\x80", "PNM 9 x 1 gray 1-bit 0,1,0,1,0,1,0,1,0"},
		{"PGM", "P5\n2 1\n255\n\x01\xff", "PNM 2 x 1 gray 8-bit 1,255"},
		{"PGM, 12 bits", "P5\n1 1\n4095\n\x01\x02", "PNM 1 x 1 gray 12-bit 258"},
		{"PGM, 16 bits", "P5\n1 1\n65535\n\x01\x02", "PNM 1 x 1 gray 16-bit 258"},
		{"PGM, levels that are scaled", "P5\n1 1\n1000\n\x01\xf4", "PNM 1 x 1 gray 16-bit 32768"},
		{"PPM", "P6 1 1 99 \x00\x63\x32", "PNM 1 x 1 RGB 8-bit 0 255 129"},
		{"PAM", "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nab",
			"PNM 1 x 1 gray+A 8-bit 97 98"},
		{"PAM of inks", "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\nabcd",
			"unsupported: PAM of 4 samples (CMYK) is not supported"},
		{"PAM of 5 samples", "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\nabcde",
			"unsupported: PAM of 5 samples () is not supported"},
		{"PFM", "Pf\n1 2\n-1.0\n" + string(floatBytes(le, 0.5, 2)), "PNM 1 x 2 gray float32 2,0.5"},
		{"PFM, NaN", "Pf\n1 1\n-1.0\n" + string(floatBytes(le, float32(math.NaN()))),
			"format: NaN or Inf at pixel (0, 0)"},
		{"PFM, no scale", "Pf\n1 1\n0\n" + string(floatBytes(le, 0.5)), "format: damaged PNM: bad header"},
		{"PFM, scale of -0", "Pf\n1 1\n-0.0\n" + string(floatBytes(le, 0.5)), "format: damaged PNM: bad header"},
		{"PFM, scale of NaN", "Pf\n1 1\nnan\n" + string(floatBytes(le, 0.5)), "format: damaged PNM: bad header"},
		{"PFM, infinite scale", "Pf\n1 1\n-inf\n" + string(floatBytes(le, 0.5)), "format: damaged PNM: bad header"},
		{"PGM, short", "P5\n2 1\n255\n\x01", "format: damaged PNM: unexpected EOF"},
		{"PGM, no header", "P5\n2 1\n", "format: damaged PNM: unexpected EOF"},
		{"PGM, bad number", "P5\nx 1\n255\n\x01", "format: damaged PNM: bad header"},
		{"PGM, no levels", "P5\n1 1\n0\n\x01", "format: damaged PNM: samples up to 0"},
		{"PBM, text, other digit", "P1 1 1 2 ", "format: damaged PNM: bad sample at pixel 0"},
		{"PGM, text, too large", "P2 1 1 9 10 ", "format: damaged PNM: bad sample at pixel 0"},
		{"PGM, large", "P5\n100000 100000\n255\n\x01", "limit: 100000 x 100000 pixels, limit is 100000000"},
		{"BMP, palette", string(buildBMP(2, 1, 8, bmpRGB, []byte{1, 2, 0, 0})), "BMP 2 x 1 RGB 8-bit 3,6 5,10 7,14"},
		{"BMP, 24 bits", string(buildBMP(1, 1, 24, bmpRGB, []byte{1, 2, 3, 0})), "BMP 1 x 1 RGB 8-bit 3 2 1"},
		{"BMP, from the bottom up", string(buildBMP(1, 2, 24, bmpRGB, []byte{1, 1, 1, 0, 2, 2, 2, 0})),
			"BMP 1 x 2 RGB 8-bit 2,1 2,1 2,1"},
		{"BMP, from the top down", string(buildBMP(1, -2, 24, bmpRGB, []byte{1, 1, 1, 0, 2, 2, 2, 0})),
			"BMP 1 x 2 RGB 8-bit 1,2 1,2 1,2"},
		{"BMP, run lengths", string(buildBMP(3, 1, 8, bmpRLE8, []byte{2, 1, 1, 0, 0, 1})),
			"BMP 3 x 1 RGB 8-bit 3,3,0 5,5,0 7,7,0"},
		{"BMP, short", string(buildBMP(2, 1, 24, bmpRGB, []byte{1})), "format: damaged BMP: unexpected EOF"},
		{"BMP, JPEG inside", string(buildBMP(2, 1, 24, 4, []byte{1})),
			"unsupported: BMP with a JPEG or PNG file inside is not supported"},
		{"BMP, 3 bits", string(buildBMP(2, 1, 3, bmpRGB, []byte{1})), "unsupported: BMP of 3 bits is not supported"},
		{"BMP, header of 13 bytes", string(changed(buildBMP(1, 1, 24, bmpRGB, make([]byte, 4)), 14, 13)),
			"unsupported: BMP with a header of 13 bytes is not supported"},
		{"BMP, header that is cut", string(changed(buildBMP(1, 1, 24, bmpRGB, nil)[:18], 14, 12)),
			"format: damaged BMP: unexpected EOF"},
		{"BMP, masks missing", string(buildBMP(1, 1, 16, bmpBitfields, nil)), "format: damaged BMP: unexpected EOF"},
		{"BMP, run lengths from the top down", string(buildBMP(3, -1, 8, bmpRLE8, []byte{2, 1, 1, 0, 0, 1})),
			"format: damaged BMP: run lengths from the top down"},
		{"BMP, colour outside the palette", string(changed(buildBMP(1, 1, 8, bmpRGB, []byte{5, 0, 0, 0}), 46, 2)),
			"format: damaged BMP: colour 5 of a palette of 2"},
		{"BMP, endless row", string(buildBMP(3, 1, 8, bmpRLE8, bytes.Repeat([]byte{255, 1}, 300))),
			"format: damaged BMP: a row that does not end"},
		{"BMP, large", string(buildBMP(100000, 100000, 8, bmpRGB, nil)),
			"limit: 100000 x 100000 pixels, limit is 100000000"},
		{"WebP, animated", "RIFF\x20\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00",
			"unsupported: animated WebP is not supported"},
		{"WebP, large", "RIFF\x20\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\x03\xff\xff\x03",
			"limit: 262144 x 262144 pixels, limit is 100000000"},
		{"WebP, no picture", "RIFF\x20\x00\x00\x00WEBPICCP\x02\x00\x00\x00ab", "format: damaged WebP: unexpected EOF"},
		{"WebP, nothing", "RIFF\x04\x00\x00\x00WEBP", "format: damaged WebP: unexpected EOF"},
		{"Canon raw", "II*\x00\x10\x00\x00\x00CR\x02\x00",
			"unsupported: Canon raw (CR2) file, which is not supported: " + adviceRaw},
		{"HEIC", "\x00\x00\x00\x18ftypheic", "unsupported: HEIC file, which is not supported: " + adviceHEIC},
		{"AVIF", "\x00\x00\x00\x18ftypavif", "unsupported: AVIF file, which is not supported: " + adviceAVIF},
		{"JPEG XL", "\xff\x0a", "unsupported: JPEG XL file, which is not supported: " + adviceJXL},
	} {
		is(t, c.name, []byte(c.file), ReadOptions{}, c.want)
	}
}

// Names tell the kind of a file whose content does not.
func TestKindsByName(t *testing.T) {
	for name, want := range map[string]string{"a.HEIC": "HEIC", "b.nef": "Nikon raw", "c.d.mov": "video", "e.png": "",
		"heic": ""} {
		if k, ok := OtherKindOf(name); ok != (want != "") || k.Name != want || ok && k.Advice == "" {
			t.Errorf("%s: %q", name, k)
		}
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "x.heic"), []byte("what is it?"))
	var kind OtherKind
	_, err := Read(path, ReadOptions{})
	if !errors.As(err, &kind) || kind.Name != "HEIC" || !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}

// TestWebPMetadata checks that profile, Exif and XMP of a WebP file go into a PNG file, and that the picture is turned
// upright.
func TestWebPMetadata(t *testing.T) {
	plain := smallWebPs()[0]
	chunkOf := func(kind string, body []byte) []byte {
		b := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body)))
		return append(append(b, body...), make([]byte, len(body)&1)...)
	}
	before := decoded(t, plain, ReadOptions{})
	head := make([]byte, 10)
	head[0] = 0x2c
	head[4], head[7] = byte(before.Width-1), byte(before.Height-1)
	body := append([]byte("WEBP"), chunkOf("VP8X", head)...)
	body = append(body, plain[12:]...)
	body = append(append(body, chunkOf("EXIF", exifBlock(be, 6))...), chunkOf("XMP ", []byte("<x:xmpmeta/>"))...)
	img := decoded(t, append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...),
		ReadOptions{})
	if img.Width != before.Height || string(img.Meta.XMP()) != "<x:xmpmeta/>" {
		t.Errorf("%d x %d, XMP %q", img.Width, img.Height, img.Meta.XMP())
	}
	again := readBack(t, img, WriteOptions{})
	if again.Format != PNG || string(again.Meta.XMP()) != "<x:xmpmeta/>" || exifOrientation(again.Meta.EXIF()) != 1 ||
		!same(img, again) {
		t.Errorf("%v, XMP %q, other samples or orientation", again.Format, again.Meta.XMP())
	}
}

// smallWebPs returns files of 7 x 5 pixels that cwebp wrote: lossy and lossless, without and with alpha.
func smallWebPs() [][]byte {
	var list [][]byte
	for _, text := range []string{
		"UklGRkwAAABXRUJQVlA4IEAAAADQAQCdASoHAAUAAoBCJbACdAEOu0eDwAD+9LiCOtbQHuvCNCKL+oudpQqaPK+nIl3l+DOn" +
			"D8HPPo2/x+OrAAAA",
		"UklGRjAAAABXRUJQVlA4TCMAAAAvBgABAJkyRPQ/NuWP6H9AIdsI0JjOH+9FGI85iAkAshLtCQA=",
		"UklGRoQAAABXRUJQVlA4WAoAAAAQAAAABgAABAAAQUxQSB8AAAABNyAWTCR25w8aRESkBrJspO3mYzmW99d5hYj+h40PAFZQ" +
			"OCA+AAAA0AEAnQEqBwAFAAKAQiWwAnQBDrtHg8AA/vS4gjrW0B7rwjQii/qLnaUKmjyvpyJdoZ9FcPwc8+jb/H46sAA=",
		"UklGRjYAAABXRUJQVlA4TCkAAAAvBgABEJkyRPQ/NuWP6H9AIdsI0JjOH+9FGI85EAumeBK9TQBEWwnZEwA=",
	} {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			panic(err)
		}
		list = append(list, data)
	}
	return list
}
