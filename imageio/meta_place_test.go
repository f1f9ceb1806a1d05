package imageio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func doublesTag(order binary.ByteOrder, id uint16, v ...float64) tag {
	t := tag{id: id}
	t.setDoubles(order, v)
	return t
}

// onEarth returns where a place in the raster is, as readers of GeoTIFF compute it (annex B.6).
func onEarth(t *testing.T, m *tiffMeta, x, y float64) [2]float64 {
	t.Helper()
	if matrix := m.tags.find(tagTransform); matrix != nil {
		v := matrix.doubles(m.order)
		return [2]float64{v[0]*x + v[1]*y + v[3], v[4]*x + v[5]*y + v[7]}
	}
	tie := m.tags.find(tagTiePoints)
	if tie == nil {
		t.Fatal("nothing ties the raster to the earth")
	}
	p, scale := tie.doubles(m.order), m.tags.find(tagPixelScale)
	if scale == nil { // a tie point alone
		if math.Abs(p[0]-x)+math.Abs(p[1]-y) > 1e-9 {
			return [2]float64{}
		}
		return [2]float64{p[3], p[4]}
	}
	s := scale.doubles(m.order)
	return [2]float64{p[3] + (x-p[0])*s[0], p[4] - (y-p[1])*s[1]}
}

// A sample keeps its place on the earth if the picture is turned upright, cropped, or both.
func TestPlaceOnEarth(t *testing.T) {
	const w, h, u, v = 9, 7, 5, 3 // the sample that is followed
	for name, c := range map[string]struct {
		tags   []tag
		want   [2]float64
		centre float64 // of the sample
	}{
		"scale": {[]tag{doublesTag(be, tagPixelScale, 2, 3, 0), doublesTag(be, tagTiePoints, 1, 2, 0, 1000, 5000, 0)},
			[2]float64{1000 + 4.5*2, 5000 - 1.5*3}, 0.5},
		"matrix": {[]tag{doublesTag(be, tagTransform, 2, 0.5, 0, 1000, 0.25, -3, 0, 5000, 0, 0, 1, 0, 0, 0, 0, 1)},
			[2]float64{1000 + 5.5*2 + 3.5*0.5, 5000 + 5.5*0.25 - 3.5*3}, 0.5},
		"points": {[]tag{doublesTag(be, tagPixelScale, 2, 3, 0), doublesTag(be, tagTiePoints, 1, 2, 0, 1000, 5000, 0),
			numbers(be, tagGeoKeys, typeShort, 1, 1, 0, 1, keyRasterType, 0, 1, rasterPoint)},
			[2]float64{1000 + 4*2, 5000 - 3}, 0},
		"tie point": {[]tag{doublesTag(be, tagTiePoints, 5.5, 3.5, 0, 1234, 5678, 0)}, [2]float64{1234, 5678}, 0.5},
	} {
		for turn := orientation(1); turn <= 8; turn++ {
			img := &Image{Width: w, Height: h, Planes: [][]float32{make([]float32, w*h)}, Depth: Depth8, Format: TIFF}
			img.Planes[0][v*w+u] = 1
			tags := directory(c.tags).with(numbers(be, tagOrientation, typeShort, uint64(turn)))
			img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: be}, tags: tags}}
			img = readBack(t, img, WriteOptions{})
			for _, at := range [][2]int{{0, 0}, {2, 1}} {
				cut := cutImage(img, at[0], at[1])
				cut.Meta, _ = img.Meta.Cropped(image.Rect(at[0], at[1], img.Width, img.Height))
				got := readBack(t, cut, WriteOptions{})
				i := slices.Index(got.Planes[0], 1)
				x, y := float64(i%got.Width)+c.centre, float64(i/got.Width)+c.centre
				if place := onEarth(t, got.Meta.tiff, x, y); math.Hypot(place[0]-c.want[0], place[1]-c.want[1]) > 1e-9 {
					t.Errorf("%s, orientation %d, crop at %v: the sample is at %v, not %v", name, turn, at, place,
						c.want)
				}
			}
		}
	}
}

// cutImage returns the part of a gray image from (x, y) on.
func cutImage(img *Image, x, y int) *Image {
	out := *img
	out.Width, out.Height, out.Planes = img.Width-x, img.Height-y, [][]float32{nil}
	for row := y; row < img.Height; row++ {
		out.Planes[0] = append(out.Planes[0], img.Planes[0][row*img.Width+x:(row+1)*img.Width]...)
	}
	return &out
}

// Another reader finds the tags of a crop, and the whole keeps its own.
func TestPlaceOfACrop(t *testing.T) {
	rpc := make([]float64, 92)
	rpc[2], rpc[3] = 700, 600
	img := &Image{Width: 9, Height: 7, Planes: [][]float32{make([]float32, 63)}, Depth: Depth8, Format: TIFF}
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le}, tags: directory{}.with(
		doublesTag(le, tagPixelScale, 2, 2, 0), doublesTag(le, tagTiePoints, 0, 0, 0, 100, 200, 0, 9, 7, 0, 118, 186,
			0), doublesTag(le, tagRPC, rpc...),
		numbers(le, tagXPosition, typeRational, 3, 1), numbers(le, tagYPosition, typeRational, 4, 1))}}
	whole := encoded(t, img, WriteOptions{})
	cut := cutImage(img, 4, 3)
	cut.Meta, _ = img.Meta.Cropped(image.Rect(4, 3, 9, 7))
	path := writeFile(t, filepath.Join(t.TempDir(), "a.tif"), encoded(t, cut, WriteOptions{}))
	got := run(t, "exiftool", "-s3", "-ModelTiePoint", "-PixelScale", "-XPosition", "-YPosition", path)
	if want := "-4 -3 0 100 200 0 5 4 0 118 186 0\n2 2 0\n"; got != want {
		t.Errorf("exiftool tells %q, not %q", got, want)
	}
	if v := cut.Meta.tiff.tags.find(tagRPC).doubles(le); v[2] != 697 || v[3] != 596 {
		t.Errorf("the polynomials begin at row %g, column %g", v[2], v[3])
	}
	if string(encoded(t, img, WriteOptions{})) != string(whole) {
		t.Error("the tags of the whole have changed")
	}
}

func TestOriginOfACrop(t *testing.T) {
	for text, want := range map[string]string{
		"ImageJ=1.53\nimages=2\nxorigin=5\nyorigin=-2.5\nzorigin=1\n" +
			"\x00": "ImageJ=1.53\nimages=2\nxorigin=-5\nyorigin=-22.5\nzorigin=1\n\x00",
		"ImageJ=1.53\nxorigin=far\n\x00": "ImageJ=1.53\nxorigin=far\n\x00",
		"ImageJ=1.53\nxorigin=1.5E1\x00": "ImageJ=1.53\nxorigin=5\x00",
		"xorigin=5\n\x00":                "xorigin=5\n\x00",
	} {
		m := &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le},
			tags: directory{{id: tagDescription, typ: typeASCII, count: uint64(len(text)), data: []byte(text)}}}}
		part, _ := m.Cropped(image.Rect(10, 20, 30, 40))
		if got := part.tiff.tags.find(tagDescription); string(got.data) != want || got.count != uint64(len(want)) {
			t.Errorf("%q has become %q", text, got.data)
		}
		if got := m.tiff.tags.find(tagDescription).data; string(got) != text {
			t.Errorf("the description of the whole has become %q", got)
		}
	}
}

func TestOffsetOfACrop(t *testing.T) {
	offset := func(x, y int32, unit byte) chunk {
		b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(x)), uint32(y))
		return chunk{"oFFs", append(b, unit)}
	}
	for _, c := range []struct {
		in   chunk
		want string // of pngcheck; empty if there is no offset
	}{
		{offset(10, 20, 0), "14x23 pixels offset"},
		{offset(-4, -3, 0), "0x0 pixels offset"},
		{offset(10, 20, 1), ""},
		{offset(math.MaxInt32, 0, 0), ""},
		{chunk{"oFFs", []byte{1}}, ""},
	} {
		img := decoded(t, buildPNG(9, 7, 8, pngGray, 0, filterNone(slices.Collect(slices.Chunk(make([]byte, 63),
			9))...), c.in), ReadOptions{})
		cut := cutImage(img, 4, 3)
		cut.Meta, _ = img.Meta.Cropped(image.Rect(4, 3, 9, 7))
		path := writeFile(t, filepath.Join(t.TempDir(), "a.png"), encoded(t, cut, WriteOptions{}))
		got := run(t, "pngcheck", "-v", path)
		if there := strings.Contains(got, "oFFs"); there != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: pngcheck tells %s", c.in, got)
		}
		if again := fmt.Sprint(img.Meta.png.chunks[0].body); again != fmt.Sprint(c.in.body) {
			t.Errorf("the offset of the whole has become %s", again)
		}
	}
	var none *Metadata
	if m, _ := none.Cropped(image.Rect(1, 1, 2, 2)); m != nil {
		t.Error("metadata out of nothing")
	}
}

// The background of a file of 16 bits stays what it is in a crop.
func TestBackgroundOfACrop(t *testing.T) {
	img := decoded(t, buildPNG(2, 1, 16, pngGray, 0, filterNone([]byte{0, 7, 0, 200}), chunk{"bKGD", []byte{18, 52}}),
		ReadOptions{})
	cut := cutImage(img, 1, 0)
	cut.Meta, _ = img.Meta.Cropped(image.Rect(1, 0, 2, 1))
	if file := encoded(t, cut, WriteOptions{}); !bytes.Contains(file, []byte("bKGD\x12\x34")) {
		t.Errorf("the background is another in %q", file)
	}
}
