package imageio

import (
	"bytes"
	"io"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// fuzzFormat checks that Decode refuses the bytes or returns an image that survives a TIFF file.
func fuzzFormat(f *testing.F, kind Format, prepare func([]byte)) {
	for _, data := range seeds(f)[kind] {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.Clone(data) // the fuzzer forbids changes
		prepare(data)
		img := must.Get(refusedOrWhole(data, ReadOptions{MaxPixels: 1 << 16}))(t)
		if img == nil {
			return
		}
		comesBack(t, "the image", img, WriteOptions{Format: TIFF})
		readBack(t, img, WriteOptions{Note: "a 1: b"}) // with all metadata
	})
}

func FuzzDecodePNG(f *testing.F) {
	gamma := chunk{"gAMA", long(70_000)}
	for _, chunks := range [][]chunk{{gamma, adobeRGB}, {{"cICP", []byte{12, 13, 0, 1}}},
		{{"cICP", []byte{9, 16, 0, 1}}, gamma}} {
		f.Add(buildPNG(1, 1, 8, pngRGB, 0, filterNone([]byte{1, 2, 3}), chunks...))
	}
	fuzzFormat(f, PNG, repairPNG)
}

func FuzzDecodeTIFF(f *testing.F) { fuzzFormat(f, TIFF, func([]byte) {}) }

func FuzzDecodeJPEG(f *testing.F) {
	small := preview(f)
	f.Add(append(withMPF(f, le, buildJPEG(f, scene(20, 16)), []uint32{0x40010001, 0}, [][]byte{small, small}),
		fotoStation(1, "x")...))
	f.Add(withExif(buildJPEG(f, scene(20, 16)), tiffForm{order: be}.block(withCanonNote(be, 300))))
	fuzzFormat(f, JPEG, func([]byte) {})
}

func FuzzDecodeWebP(f *testing.F) { fuzzFormat(f, WebP, func([]byte) {}) }
func FuzzDecodeBMP(f *testing.F)  { fuzzFormat(f, BMP, func([]byte) {}) }
func FuzzDecodePNM(f *testing.F)  { fuzzFormat(f, PNM, func([]byte) {}) }

// FuzzKeepDamaged checks that what is kept of damaged files is a picture, with a warning unless the file is whole, and
// that it is written and read again, as it is and changed.
func FuzzKeepDamaged(f *testing.F) {
	for _, format := range []Format{JPEG, PNG, TIFF} {
		for _, data := range seeds(f)[format] {
			f.Add(data)
			f.Add(data[:len(data)*2/3])
		}
	}
	f.Add(buildTIFF(le, jpegPage(jpegOfScans(f, []byte{}, []byte{}, []byte{}))))
	f.Fuzz(func(t *testing.T, data []byte) {
		img := must.Get(refusedOrWhole(data, ReadOptions{MaxPixels: 1 << 16, KeepDamaged: true}))(t)
		whole, err := Decode(data, ReadOptions{MaxPixels: 1 << 16})
		switch {
		case img == nil && err == nil:
			t.Error("a whole file is refused")
		case img == nil:
		case err != nil && len(img.Warnings) == 0:
			t.Errorf("no warning, but %v", err)
		case err == nil && !same(whole, img):
			t.Error("other samples of a whole file")
		}
		if img != nil {
			must.Do(t, carried(img))
			img.Planes[0][0] = 1 - img.Planes[0][0]
			must.Do(t, carried(img))
		}
	})
}

// FuzzFax checks that any data gives rows of the right number of bytes, or an error.
func FuzzFax(f *testing.F) {
	for _, p := range rareTIFFs(f) {
		f.Add(p.strips[0], uint32(4), uint16(16))
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint32, width uint16) {
		if width == 0 {
			return
		}
		r := &faxReader{compression: compressionFaxRLE + kind%3, mixed: kind&4 != 0, width: int64(width), rows: 20,
			data: data}
		out, err := io.ReadAll(r)
		if n := (int(width) + 7) / 8; err == nil && len(out) != 20*n || len(out) > 20*n {
			t.Errorf("%d bytes of %d", len(out), 20*n)
		}
	})
}

// FuzzPages checks that the pages of a TIFF file are refused or survive being written to another one.
func FuzzPages(f *testing.F) {
	f.Add(stackOfImageJ(4))
	f.Add(stackOfMetaMorph(4, 4))
	p := pixels(2, 1, blackIsZero, []uint32{8}, []byte{7, 200})
	f.Add(buildTIFF(le, p, p.with(tagImageWidth, 1), p))
	f.Add(buildTIFF(be, p, p))
	f.Add(encodedPages(f, chainedStack(be, 4, 1, Depth8)))
	img := noise(40, 30, 3, true, Depth8, 1)
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le},
		levels: []level{{20, 15, [2]int{16, 16}}, {10, 8, [2]int{}}}, tags: withCanonNote(le, 600)}}
	f.Add(encoded(f, img, WriteOptions{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(data, ReadOptions{MaxPixels: 1 << 12})
		if err != nil || r.Pages() > 16 {
			return
		}
		var b bytes.Buffer
		if err := EncodePages(&b, r.Pages(), WriteOptions{Format: TIFF}, r.Page); err != nil {
			if kindName(err) == "other" {
				t.Error(err)
			}
			return
		}
		again, err := NewReader(b.Bytes(), ReadOptions{})
		if err != nil || again.Pages() != r.Pages() {
			t.Fatalf("%d pages, %v", r.Pages(), err)
		}
	})
}
