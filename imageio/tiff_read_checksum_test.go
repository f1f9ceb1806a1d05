package imageio

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// deflated returns the ends of the Deflate streams in a file.
func deflated(file []byte) (ends []int) {
	for i := range file {
		r := bytes.NewReader(file[i:])
		z, err := zlib.NewReader(r)
		if err != nil {
			continue
		}
		if _, err := io.ReadAll(z); err == nil {
			ends = append(ends, len(file)-r.Len())
		}
	}
	return ends
}

// The checksums of all tiles are verified, also of those that go beyond the edges of the picture. What is asked to be
// kept of a damaged picture is all that was read.
func TestChecksumsOfTiles(t *testing.T) {
	img := smoothImage(50, 40, 1)
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le},
		packing: packing{compression: compressionDeflate}, tile: [2]int{32, 32}}}
	file := encoded(t, img, WriteOptions{})
	whole := decoded(t, file, ReadOptions{})
	ends := deflated(file)
	if len(ends) != 4 {
		t.Fatalf("%d tiles", len(ends))
	}
	for i, end := range ends {
		broken := bytes.Clone(file)
		broken[end-1] ^= 1
		if _, err := Decode(broken, ReadOptions{}); !errors.Is(err, ErrFormat) ||
			!strings.Contains(err.Error(), "checksum") {
			t.Errorf("tile %d: %v", i, err)
		}
		got, err := Decode(broken, ReadOptions{KeepDamaged: true})
		if err != nil || !slices.Equal(got.Planes[0], whole.Planes[0]) || len(got.Warnings) == 0 {
			t.Errorf("tile %d is not kept: %v", i, err)
		}
	}
}
