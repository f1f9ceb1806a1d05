package imageio

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

// smoothImage is a picture that JPEG changes little.
func smoothImage(w, h, planes int) *Image {
	return painted(newImage(w, h, planes, noAlpha, Depth8, TIFF), func(c, i int) float32 {
		return float32(0.5 + 0.3*math.Sin(float64(i%w)/9+float64(c))*math.Cos(float64(i/w)/7))
	})
}

// asJPEG gives an image the metadata of a page that was stored as JPEG.
func asJPEG(img *Image, tile [2]int, factors ...[2]int) *Image {
	coding := jpegCoding{factors: factors, tables: standardTables(75, len(factors), false)}
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le}, packing: packing{compression: compressionJPEG},
		tile: tile, jpeg: &coding}}
	return img
}

// TestJPEGInTIFFComesBack writes pages as JPEG in strips and tiles, and reads the same coding from them.
func TestJPEGInTIFFComesBack(t *testing.T) {
	for name, c := range map[string]struct {
		img   *Image
		level float64
	}{
		"gray":       {asJPEG(smoothImage(70, 50, 1), [2]int{}, [2]int{1, 1}), 6},
		"4:2:0":      {asJPEG(smoothImage(70, 50, 3), [2]int{}, [2]int{2, 2}, [2]int{1, 1}, [2]int{1, 1}), 14},
		"tiles":      {asJPEG(smoothImage(70, 50, 3), [2]int{32, 16}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}), 7},
		"big strips": {asJPEG(smoothImage(300, 700, 3), [2]int{}, [2]int{2, 1}, [2]int{1, 1}, [2]int{1, 1}), 14},
	} {
		file := encoded(t, c.img, WriteOptions{})
		got := decoded(t, file, ReadOptions{})
		m := got.Meta.tiff
		if m.compression != compressionJPEG || m.jpeg == nil || m.tile != c.img.Meta.tiff.tile {
			t.Fatalf("%s: compression %d, tile %v", name, m.compression, m.tile)
		}
		for i, f := range m.jpeg.factors {
			if f != c.img.Meta.tiff.jpeg.factors[i] || *m.jpeg.tables[i] != *standardTables(minQuality,
				len(m.jpeg.factors), false)[i] {
				t.Errorf("%s: component %d has factors %v and other tables", name, i, f)
			}
		}
		for p := range got.Planes {
			for i, v := range got.Planes[p] {
				if d := math.Abs(float64(v-c.img.Planes[p][i])) * 255; d > c.level {
					t.Fatalf("%s: sample %d of plane %d is %.1f levels off", name, i, p, d)
				}
			}
		}

		// What nobody changes comes back exactly, but a given quality codes it anew.
		again := readBack(t, got, WriteOptions{})
		if !same(again, got) || again.Meta.tiff.compression != compressionJPEG ||
			!slices.EqualFunc(again.stored.jpeg.blocks, got.stored.jpeg.blocks, bytes.Equal) {
			t.Errorf("%s: unchanged samples with compression %d", name, again.Meta.tiff.compression)
		}
		if low := encoded(t, got, WriteOptions{Quality: 30}); len(low) >= len(file) ||
			decoded(t, low, ReadOptions{}).Meta.tiff.compression != compressionJPEG {
			t.Errorf("%s: %d bytes at quality 30, %d at 90", name, len(low), len(file))
		}
		if deep := readBack(t, c.img, WriteOptions{Depth: Depth16}); deep.Depth != Depth16 ||
			deep.Meta.tiff.compression != compressionDeflate {
			t.Errorf("%s: 16 bits with compression %d", name, deep.Meta.tiff.compression)
		}
	}
}

// Pages that JPEG cannot hold, or that were stored in another way, are written without loss.
func TestWhatIsNotWrittenAsJPEG(t *testing.T) {
	alpha := asJPEG(smoothImage(20, 20, 3), [2]int{}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1})
	alpha.Alpha = make([]float32, 400)
	planes := asJPEG(smoothImage(20, 20, 3), [2]int{}, [2]int{1, 1})
	wide := asJPEG(smoothImage(70_000, 2, 1), [2]int{}, [2]int{1, 1})
	extra := asJPEG(smoothImage(20, 20, 1), [2]int{}, [2]int{1, 1})
	extra.Extra = [][]float32{make([]float32, 400)}
	for name, img := range map[string]*Image{"alpha": alpha, "other planes": planes, "wide": wide, "extra": extra} {
		got := readBack(t, img, WriteOptions{})
		if got.Meta.tiff.compression != compressionDeflate || len(got.channels()) != len(img.channels()) {
			t.Errorf("%s: compression %d", name, got.Meta.tiff.compression)
		}
	}
}
