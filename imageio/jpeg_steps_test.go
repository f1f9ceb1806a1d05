package imageio

import "testing"

// The steps are the tables that the file was written with, turned like the picture.
func TestStepsOfJPEG(t *testing.T) {
	for _, c := range []struct {
		name   string
		planes int
		sub    Subsampling
		half   bool
	}{{"gray", 1, 0, false}, {"4:2:0", 3, Subsampling420, true}, {"4:2:2", 3, Subsampling422, true},
		{"4:4:4", 3, Subsampling444, false}} {
		img := newImage(20, 12, c.planes, noAlpha, Depth8, 0)
		file := encoded(t, img, WriteOptions{Format: JPEG, Quality: 80, Subsampling: c.sub})
		got := decoded(t, file, ReadOptions{}).Steps
		turned := decoded(t, withExif(file, exifBlock(be, 6)), ReadOptions{}).Steps
		tables := standardTables(80, c.planes, false)
		for k, at := range zigzag {
			chroma := uint8(0)
			if c.planes == 3 {
				chroma = tables[1][k]
			}
			across := at%8*8 + at/8
			if got.Luma[at] != tables[0][k] || turned.Luma[across] != tables[0][k] {
				t.Fatalf("%s: luma step %d is %d, %d turned, want %d", c.name, at, got.Luma[at], turned.Luma[across],
					tables[0][k])
			}
			if got.Chroma[at] != chroma || turned.Chroma[across] != chroma {
				t.Fatalf("%s: chroma step %d is %d, %d turned, want %d", c.name, at, got.Chroma[at],
					turned.Chroma[across], chroma)
			}
		}
		if got.ChromaHalved != c.half {
			t.Errorf("%s: half is %v", c.name, got.ChromaHalved)
		}
	}
}

// Components of RGB and CMYK files are no luma and chroma, and other formats have no steps.
func TestStepsAreUnknown(t *testing.T) {
	for name, img := range map[string]*Image{
		"CMYK": readBack(t, newImage(20, 12, 4, noAlpha, Depth8, 0), WriteOptions{Format: JPEG}),
		"PNG":  readBack(t, newImage(20, 12, 3, noAlpha, Depth8, 0), WriteOptions{Format: PNG}),
	} {
		if img.Steps != (Steps{}) {
			t.Errorf("%s: %v", name, img.Steps)
		}
	}
}
