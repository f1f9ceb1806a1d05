package imageio

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestShapeInDescription checks that the description of a page does not tell a shape that the page no longer has.
func TestShapeInDescription(t *testing.T) {
	was := pageShape{200, 160, 3, true}
	const ome = `<OME><Image><Pixels ID="Pixels:0" SizeX="200" SizeY = '160' SizeC="3" PhysicalSizeX="0.1"><Plane SizeX="200"/></Pixels></Image></OME>`
	for _, c := range []struct {
		text string
		is   pageShape
		want string
	}{
		{"{\"shape\": [3, 160, 200]}\x00", pageShape{200, 160, 3, false}, ""},
		{"{\"shape\": [3, 160, 200]}\x00", was, "{\"shape\": [3, 160, 200]}\x00"},
		{"{\"shape\": [2, 3, 160, 200], \"axes\": \"TSYX\", \"who\": \"me\"}\x00", pageShape{40, 30, 3, false},
			"{\"who\": \"me\"}\x00"},
		{"{\"axes\": \"SYX\", \"who\": 1, \"shape\": [3, 160, 200]}\x00", pageShape{40, 30, 3, false},
			"{\"who\": 1}\x00"},
		{"{\"axes\": \"SYX\", \"shape\": [3, 160, 200]}\x00", pageShape{40, 30, 3, false}, ""},
		{"{\"shape\": [3, 160, 200], \"who\": \"me\"}", pageShape{200, 160, 3, false}, `{"who": "me"}`},
		{"some words", pageShape{40, 30, 3, false}, "some words"},
		{ome, pageShape{200, 160, 3, false}, ome},
		{ome, pageShape{40, 30, 3, false}, strings.NewReplacer(`:0" SizeX="200"`, `:0" SizeX="40"`, "160",
			"30").Replace(ome)},
	} {
		if got := string(withShape([]byte(c.text), was, c.is)); got != c.want {
			t.Errorf("%q as %v: got %q, want %q", c.text, c.is, got, c.want)
		}
	}
}

// TestShapeOfPlanes writes an image that tifffile has stored plane by plane. With the old shape it would mix up all
// samples.
func TestShapeOfPlanes(t *testing.T) {
	p := pixels(2, 1, 2, []uint32{8, 8, 8}, nil).with(tagPlanarConfig, 2)
	p.strips = [][]byte{{1, 2}, {3, 4}, {5, 6}}
	img := decoded(t, buildTIFF(le, p), ReadOptions{})
	img.Meta.tiff.tags = directory{ascii(tagDescription, `{"shape": [3, 1, 2]}`)}
	back := readBack(t, img, WriteOptions{})
	if e := back.Meta.tiff.tags.find(tagDescription); e != nil {
		t.Errorf("the description is still %q", e.data)
	}
}

// TestTwoDescriptions checks that a page keeps what the user and what tifffile has said of it, and that the shape of
// the second one goes if it is no longer true. A JPEG file has the first one only.
func TestTwoDescriptions(t *testing.T) {
	p := pixels(2, 1, 2, []uint32{8, 8, 8}, nil).with(tagPlanarConfig, 2)
	p.strips = [][]byte{{1, 2}, {3, 4}, {5, 6}}
	img := decoded(t, buildTIFF(le, p), ReadOptions{})
	img.Meta.tiff.tags = directory{ascii(tagDescription, "a cell"),
		ascii(tagDescription, `{"shape": [3, 1, 2], "who": "me"}`)}
	descriptions := func(d directory) (all []string) {
		for _, e := range d {
			if e.id == tagDescription {
				all = append(all, string(e.data))
			}
		}
		return all
	}
	out := encoded(t, img, WriteOptions{})
	for range 2 {
		back := decoded(t, out, ReadOptions{})
		if got := descriptions(back.Meta.tiff.tags); !slices.Equal(got,
			[]string{"a cell\x00", "{\"who\": \"me\"}\x00"}) {
			t.Fatalf("%q", got)
		}
		out = encoded(t, back, WriteOptions{})
	}
	tags, _ := exifTags(readBack(t, img, WriteOptions{Format: JPEG}).Meta.EXIF())
	if got := descriptions(tags); !slices.Equal(got, []string{"a cell\x00"}) {
		t.Errorf("in JPEG: %q", got)
	}
}

// TestTruncatedStack reads a stack of tifffile that has one directory, and writes it with one for each image.
func TestTruncatedStack(t *testing.T) {
	for text, want := range map[string]string{
		`{"truncated": true, "shape": [3, 1, 2]}`:              `{"shape": [3, 1, 2]}`,
		`{"who": 1, "truncated": true, "shape": [3, 1, 2, 1]}`: `{"who": 1, "shape": [3, 1, 2, 1]}`,
		`{"shape": [3, 1, 2], "truncated": true}`:              `{"shape": [3, 1, 2]}`,
	} {
		file := truncatedStack(text)
		pages := pagesOf(t, file)
		if len(pages) != 3 || pages[1].Planes[0][0] != unit8(3) || pages[2].Planes[0][1] != unit8(6) {
			t.Fatalf("%s: %d pages", text, len(pages))
		}
		again := pagesOf(t, encodedPages(t, pages))
		if len(again) != 3 {
			t.Errorf("%s: %d pages", text, len(again))
		}
		if e := again[0].Meta.tiff.tags.find(tagDescription); string(e.data) != want+"\x00" {
			t.Errorf("%s has become %q", text, e.data)
		}
		if _, err := NewReader(file[:len(file)-1], ReadOptions{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%s, a byte less: %v", text, err)
		}
	}
}

// TestTruncatedStackOfPlanes reads such a stack whose images are stored plane by plane, as tifffile finds it.
func TestTruncatedStackOfPlanes(t *testing.T) {
	dir := t.TempDir()
	python(t, `
import sys, numpy as np, tifffile
a = np.arange(4*3*5*6, dtype=np.uint8).reshape(4, 3, 5, 6)
tifffile.imwrite(sys.argv[1] + '/planes.tif', a, photometric='rgb', planarconfig='separate', truncate=True, rowsperstrip=2)
`, dir)
	r := must.Get(Open(filepath.Join(dir, "planes.tif"), ReadOptions{}))(t)
	defer r.Close()
	if r.Pages() != 4 {
		t.Fatalf("%d pages", r.Pages())
	}
	for i := range r.Pages() {
		img, err := r.Page(i)
		if err != nil || len(img.Warnings) > 0 {
			t.Fatal(err, img.Warnings)
		}
		for c, p := range img.Planes {
			for j, v := range p {
				if want := unit8(byte((i*3+c)*30 + j)); v != want {
					t.Fatalf("image %d, plane %d, sample %d: %g, not %g", i, c, j, v, want)
				}
			}
		}
	}
}

// TestStackOfOldVersions reads a stack whose description does not say that one directory is for all, if all images are
// there.
func TestStackOfOldVersions(t *testing.T) {
	file := truncatedStack(`{"shape": [3, 1, 2]}`)
	for cut, want := range []int{3, 1} {
		pages := pagesOf(t, file[:len(file)-cut])
		if len(pages) != want || len(pages[0].Warnings) > 0 {
			t.Errorf("%d bytes less: %d pages, %q", cut, len(pages), pages[0].Warnings)
		}
		if want == 3 && pages[2].Planes[0][1] != unit8(6) {
			t.Error("the last image is another")
		}
	}
}

// TestTwoTruncatedStacks warns of each stack, as tifffile writes several into one file.
func TestTwoTruncatedStacks(t *testing.T) {
	dir := t.TempDir()
	python(t, `
import sys, numpy as np, tifffile
with tifffile.TiffWriter(sys.argv[1] + '/two.tif') as w:
    for n in (5, 3, 1):
        w.write(np.zeros((n, 20, 30), np.uint8), photometric='minisblack', truncate=True)
`, dir)
	r := must.Get(Open(filepath.Join(dir, "two.tif"), ReadOptions{}))(t)
	defer r.Close()
	var got []string
	for i := range r.Pages() {
		img := must.Get(r.Page(i))(t)
		got = append(got, strings.Join(img.Warnings, "; "))
	}
	text := "the description tells of a stack of %d images, and only the first can be found"
	if want := []string{fmt.Sprintf(text, 5), fmt.Sprintf(text, 3), ""}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestTruncatedStackThatWasChanged warns of images that cannot be found, but not where the description covers all.
func TestTruncatedStackThatWasChanged(t *testing.T) {
	for text, warned := range map[string]bool{
		`{"truncated": true, "shape": [3, 20, 20]}`: true,
		`{"truncated": true, "shape": [20, 20]}`:    false,
		`{"shape": [3, 20, 20]}`:                    false, // one page that was taken out of a stack
	} {
		for _, levels := range [][]level{nil, {{10, 10, [2]int{}}}} {
			// which are written as they are
			img, words := noise(20, 20, 1, false, Depth8, 1), strings.Repeat("x", len(text))
			img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le},
				packing: packing{compressionLZW, predictorNone}, levels: levels,
				tags: directory{ascii(tagDescription, words)}}}
			r := must.Get(NewReader(bytes.Replace(encoded(t, img, WriteOptions{}), []byte(words), []byte(text), 1),
				ReadOptions{}))(t)
			got := must.Get(r.Page(0))(t)
			want := "the description tells of a stack of 3 images, and only the first can be found"
			if told := len(got.Warnings) == 1 && got.Warnings[0] == want; r.Pages() != 1 || told != warned || !warned &&
				len(got.Warnings) > 0 {
				t.Errorf("%s: %d pages, %q", text, r.Pages(), got.Warnings)
			}
			r.Close()
		}
	}
}

// truncatedStack returns a file of three images of 2 x 1 pixels, of which the first has a directory.
func truncatedStack(text string) []byte {
	form := tiffForm{order: le}
	d := directory{numbers(le, tagImageWidth, typeShort, 2), numbers(le, tagImageLength, typeShort, 1),
		numbers(le, tagBitsPerSample, typeShort, 8),
		numbers(le, tagCompression, typeShort, 1), numbers(le, tagPhotometric, typeShort, 1),
		ascii(tagDescription, text), numbers(le, tagStripOffsets, typeLong, 0),
		numbers(le, tagSamplesPerPixel, typeShort, 1),
		numbers(le, tagRowsPerStrip, typeShort, 1), numbers(le, tagStripByteCounts, typeLong, 2)}
	*d.find(tagStripOffsets) = numbers(le, tagStripOffsets, typeLong, uint64(8+form.size(d)))
	return append(append(form.header(8), form.put(d, 8, 0)...), 1, 2, 3, 4, 5, 6)
}

// The shape that a description tells counts if its images fill pictures.
func TestShapedImages(t *testing.T) {
	for shape, want := range map[string]int{"[6, 2]": 3, "[5]": 0, "[0, 4]": 0, "[-2, -4]": 0, "[8589934592]": 0,
		"[8589934584]": 2147483646, "[4294967296, 4294967296]": 0, "[]": 0} {
		if n, _ := shapedImages([]byte(`{"shape": `+shape+`}`), 4); n != want {
			t.Errorf("%s: %d images of 4 samples, want %d", shape, n, want)
		}
	}
}
