package imageio

import (
	"bytes"
	"testing"
)

// Whatever the bytes, Decode refuses them or gives an image that a TIFF file carries unchanged.
func fuzzFormat(f *testing.F, kind Format, prepare func([]byte)) {
	for _, data := range seeds(f)[kind] {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.Clone(data) // fuzzing forbids changes to its own
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
