package imageio

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/tiff/lzw"
	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// packings returns every way that pages are compressed and that this package reads.
func packings(d Depth) []packing {
	list := []packing{{}, {compression: compressionPackBits}}
	for _, c := range []uint32{compressionLZW, compressionDeflate, compressionDeflate0} {
		list = append(list, packing{c, predictorNone}, packing{c, predictorHorizontal})
		if d == DepthFloat32 {
			list = append(list, packing{c, predictorFloat})
		}
	}
	return list
}

// TestPackingIsKept writes images with each compression, predictor and tile size, reads them, and writes them again.
func TestPackingIsKept(t *testing.T) {
	for _, order := range []byteOrder{le, be} {
		for _, d := range []Depth{Depth8, Depth16, DepthFloat32} {
			for _, p := range packings(d) {
				for _, tile := range [][2]int{{}, {16, 32}, {64, 48}} {
					for planes := 1; planes <= 4; planes++ {
						img := noise(53, 70, max(planes&^1, 1)|planes&1, planes == 2, d, 1)
						if planes == 2 || planes == 4 {
							img = noise(53, 70, 3, planes == 4, d, 1)
						}
						img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: order}, packing: p, tile: tile}}
						file := encoded(t, img, WriteOptions{})
						got := decoded(t, file, ReadOptions{})
						name := fmt.Sprintf("%v, %v, %+v, tiles %v, %d planes", order, d, p, tile, planes)
						if !same(got, img) {
							t.Fatalf("%s: other samples", name)
						}
						m := got.Meta.tiff
						if m.tile != tile || m.compressed() != p.compressed() || p.compressed() &&
							m.compression != p.compression || max(m.predictor, 1) != max(p.predictor, 1) {
							t.Errorf("%s: %+v, tiles %v", name, m.packing, m.tile)
						}
						if again := encoded(t, got, WriteOptions{}); !bytes.Equal(again, file) {
							t.Errorf("%s: written again, the file is another", name)
						}
					}
				}
			}
		}
	}
}

// TestPackingOfOtherSamples checks how pages are written whose samples or compression do not come back.
func TestPackingOfOtherSamples(t *testing.T) {
	deflate := packing{compressionDeflate, predictorHorizontal}
	for _, c := range []struct {
		l    tiffLayout
		want packing
	}{
		{tiffLayout{bits: 8, compression: 34892, predictor: 1}, deflate},
		{tiffLayout{bits: 32, format: formatFloat, compression: 34892, predictor: 1},
			packing{compressionDeflate, predictorFloat}},
		{tiffLayout{bits: 4, compression: compressionLZW, predictor: 1}, packing{compressionLZW, predictorNone}},
		{tiffLayout{bits: 8, photometric: palette, compression: compressionLZW, predictor: 1},
			packing{compressionLZW, predictorHorizontal}},
		{tiffLayout{bits: 8, compression: compressionZstd, predictor: 2}, packing{compressionZstd, 2}},
		{tiffLayout{bits: 8, compression: compressionPackBits, predictor: 1},
			packing{compression: compressionPackBits}},
	} {
		if got := c.l.packing(); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.l, got, c.want)
		}
	}
	if got := (packing{compressionLZW, predictorFloat}).fitting(Depth16); got.predictor != predictorNone {
		t.Error("the predictor of floats for integers")
	}
}

// TestLZW compresses texts with few and many different strings, short and long.
func TestLZW(t *testing.T) {
	w := new(lzwWriter)
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.IntRange(1, 256).Draw(t, "letters")
		p := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) byte {
			return byte(rapid.IntRange(0, letters-1).Draw(t,
				"letter"))
		}), 0, 300).Draw(t, "text")
		p = bytes.Repeat(p, rapid.IntRange(1, 100).Draw(t, "times"))
		got, err := io.ReadAll(lzw.NewReader(bytes.NewReader(w.encode(p)), lzw.MSB, 8))
		if err != nil || !bytes.Equal(got, p) {
			t.Fatalf("%d bytes of %d, %v", len(got), len(p), err)
		}
	})
}

// TestPackBits packs runs and other bytes.
func TestPackBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p []byte
		for range rapid.IntRange(1, 30).Draw(t, "runs") {
			p = append(p, bytes.Repeat([]byte{byte(rapid.IntRange(0, 3).Draw(t, "value"))},
				rapid.IntRange(1, 300).Draw(t, "length"))...)
		}
		packed := appendPackBits(nil, p)
		got, err := io.ReadAll(&packBits{r: bufio.NewReader(bytes.NewReader(packed))})
		if err != nil || !bytes.Equal(got, p) {
			t.Fatalf("%d bytes of %d, %v", len(got), len(p), err)
		}
		if len(packed) > len(p)+len(p)/128+1 {
			t.Fatalf("%d bytes became %d", len(p), len(packed))
		}
	})
}

// TestLibtiffReadsPackings lets libtiff compare files that we wrote with each compression, and checks with libtiff that
// a compression is kept.
func TestLibtiffReadsPackings(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []Depth{Depth8, Depth16, DepthFloat32} {
		img := noise(150, 77, 3, false, d, 1)
		plain := writeFile(t, path("plain.tif"), encoded(t, img, WriteOptions{}))
		for _, p := range append(packings(d), packing{compressionZstd, predictorNone},
			packing{compressionZstd, predictorHorizontal}) {
			for _, tile := range [][2]int{{}, {64, 32}} {
				img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: be}, packing: p, tile: tile}}
				file := writeFile(t, path("packed.tif"), encoded(t, img, WriteOptions{}))
				run(t, "tiffcp", "-c", "none", "-s", "-L", file, path("again.tif"))
				run(t, "tiffcmp", plain, path("again.tif"))
				got, err := Read(path("again.tif"), ReadOptions{})
				if err != nil || !same(got, img) {
					t.Errorf("%v, %+v, tiles %v: %v", d, p, tile, err)
				}
			}
		}
		img.Meta = nil
		for _, c := range []string{"lzw", "lzw:2", "zip", "zip:2", "packbits", "none"} {
			run(t, "tiffcp", "-c", c, plain, path("source.tif"))
			source := must.Get(Read(path("source.tif"), ReadOptions{}))(t)
			ours := writeFile(t, path("ours.tif"), encoded(t, source, WriteOptions{}))
			run(t, "tiffcmp", path("source.tif"), ours)
			if want, got := schemeOf(t, path("source.tif")), schemeOf(t, ours); got != want {
				t.Errorf("%v, %s: %q became %q", d, c, want, got)
			}
		}
	}
}

// schemeOf returns what tiffinfo says about the compression.
func schemeOf(t *testing.T, path string) string {
	var out []string
	for _, line := range strings.Split(run(t, "tiffinfo", path), "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "Compression Scheme") ||
			strings.HasPrefix(line, "Predictor") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "; ")
}

// TestResolutionIsNotInvented checks that a page without a resolution has none afterwards, and that an odd one stays.
func TestResolutionIsNotInvented(t *testing.T) {
	p := pixels(2, 1, blackIsZero, []uint32{8}, []byte{7, 200})
	out := readBack(t, decoded(t, buildTIFF(le, p), ReadOptions{}), WriteOptions{})
	for _, id := range []uint16{tagXResolution, tagYResolution, tagResolutionUnit} {
		if out.Meta.tiff.tags.find(id) != nil {
			t.Errorf("tag %d was added", id)
		}
	}
	img := decoded(t, buildTIFF(le, p), ReadOptions{})
	odd := numbers(le, tagXResolution, typeRational, 7993, 111, 5, 7)
	img.Meta.tiff.tags = directory{odd}
	for range 2 {
		img = readBack(t, img, WriteOptions{})
		if e := img.Meta.tiff.tags.find(tagXResolution); e == nil || e.count != 2 || !bytes.Equal(e.data, odd.data) ||
			img.Meta.tiff.tags.find(tagYResolution) != nil {
			t.Error("an odd resolution changed")
		}
	}
}

// TestOMEPlanesAreOwn checks that OME-XML does not send a program to the source for the planes.
func TestOMEPlanesAreOwn(t *testing.T) {
	const before = `<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:a"><Image><Pixels>` +
		`<TiffData IFD="0"><UUID FileName="in.ome.tif">urn:uuid:a</UUID></TiffData><TiffData><UUID FileName="other.ome.tif">urn:uuid:b</UUID></TiffData></Pixels></Image></OME>`
	want := strings.Replace(before, ` FileName="in.ome.tif"`, "", 1)
	if got := string(ownOMEPlanes([]byte(before))); got != want {
		t.Errorf("got %s", got)
	}
	for _, same := range []string{want, "", "FileName", `<UUID FileName="x">urn:uuid:a</UUID>`} {
		if got := string(ownOMEPlanes([]byte(same))); got != same {
			t.Errorf("got %s, want %s", got, same)
		}
	}
}

// TestResolutionOfExif checks that a resolution that is no round number stays as it was when a JPEG becomes a TIFF.
func TestResolutionOfExif(t *testing.T) {
	tags := directory{numbers(le, tagXResolution, typeRational, 7993, 111),
		numbers(le, tagYResolution, typeRational, 7993, 111), numbers(le, tagResolutionUnit, typeShort, 2)}
	file := withExif(buildJPEG(t, scene(24, 16)), tiffForm{order: le}.block(tags))
	got := readBack(t, decoded(t, file, ReadOptions{}), WriteOptions{Format: TIFF}).Meta.tiff.tags
	if e := got.find(tagXResolution); e == nil || !bytes.Equal(e.data, tags[0].data) {
		t.Errorf("%+v", e)
	}
}
