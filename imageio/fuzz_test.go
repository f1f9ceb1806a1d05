package imageio

import (
	"bytes"
	"testing"
)

// fuzzFormat checks that Decode refuses the bytes or returns an image that survives a TIFF file.
func fuzzFormat(f *testing.F, kind Format, prepare func([]byte)) {
	for _, data := range seeds(f)[kind] {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.Clone(data) // the fuzzer forbids changes
		prepare(data)
		img, err := refusedOrWhole(data, ReadOptions{MaxPixels: 1 << 16})
		if err != nil {
			t.Fatal(err)
		}
		if img == nil {
			return
		}
		if got := decoded(t, encoded(t, img, WriteOptions{Format: TIFF}), ReadOptions{}); !same(got, img) {
			t.Error("the image does not come back")
		}
	})
}

func FuzzDecodePNG(f *testing.F)  { fuzzFormat(f, PNG, repairPNG) }
func FuzzDecodeJPEG(f *testing.F) { fuzzFormat(f, JPEG, func([]byte) {}) }
func FuzzDecodeTIFF(f *testing.F) { fuzzFormat(f, TIFF, func([]byte) {}) }

// FuzzPages checks that the pages of a TIFF file are refused or survive being written to another one.
func FuzzPages(f *testing.F) {
	f.Add(stackOfImageJ(4))
	p := pixels(2, 1, blackIsZero, []uint32{8}, []byte{7, 200})
	f.Add(buildTIFF(le, p, p.with(tagImageWidth, 1), p))
	f.Add(buildTIFF(be, p, p))
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
