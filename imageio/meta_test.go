package imageio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
)

// profile returns n bytes that are a profile only in their colour space.
func profile(space string, n int) []byte {
	p := bytes.Repeat([]byte("icc."), n/4)
	copy(p[16:], space)
	return p
}

// richExif returns an Exif block as cameras write it, with orientation 6, a maker's note, and a thumbnail in a second
// directory.
func richExif(order byteOrder) []byte {
	form := tiffForm{order: order}
	sub := directory{
		ascii(36867, "2026:11:21 01:02:03"),
		{id: 37500, typ: typeUndefined, count: 8, data: []byte("MAKER\x00\x01\x02")},
		numbers(order, tagPixelsAcross, typeLong, 640), numbers(order, tagPixelsDown, typeLong, 480),
	}
	gps := directory{ascii(1, "N")}
	first := directory{
		ascii(271, "Maker"), numbers(order, tagOrientation, typeShort, 6),
		numbers(order, tagXResolution, typeRational, 300, 1), numbers(order, tagYResolution, typeRational, 150, 1),
		numbers(order, tagResolutionUnit, typeShort, 2),
		{id: tagExif, typ: typeLong, subs: []directory{sub}}, {id: tagGPS, typ: typeLong, subs: []directory{gps}},
	}
	at := 8 + form.size(first)
	thumbnail := directory{numbers(order, tagThumbnail, typeLong, 0), numbers(order, tagThumbnailBytes, typeLong, 9)}
	end := uint64(at + form.size(thumbnail))
	thumbnail[0] = numbers(order, tagThumbnail, typeLong, end)
	b := append(form.header(8), form.put(first, 8, at)...)
	return append(append(b, form.put(thumbnail, at, 0)...), "THUMBNAIL"...)
}

const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ` +
	`xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" tiff:Orientation="6" photoshop:Headline="A title"/></rdf:RDF></x:xmpmeta>`

// resources returns Photoshop resources with a thumbnail and an IPTC caption.
func resources() []byte {
	return slices.Concat(resource(resourceThumbnail, []byte("OLDPIXELS")),
		resource(resourceIPTC, []byte("\x1c\x02\x78\x00\x07Caption")))
}

func withSegments(file []byte, list ...segment) []byte {
	out := slices.Clone(file[:2])
	for _, s := range list {
		out = binary.BigEndian.AppendUint16(append(out, 0xff, s.marker), uint16(len(s.body)+2))
		out = append(out, s.body...)
	}
	return append(out, file[2:]...)
}

// richFiles returns a file of each format with all kinds of metadata. The profile takes two segments of the JPEG.
func richFiles(t testing.TB) map[Format][]byte { return richFilesOf(t, 70_000) }

func richFilesOf(t testing.TB, size int) map[Format][]byte {
	icc := profile("RGB ", size)
	jpeg := withSegments(buildJPEG(t, scene(24, 16)),
		segment{markerAPP0, []byte("JFIF\x00\x01\x02\x01\x01\x2c\x00\x96\x01\x01abc")},
		segment{markerAPP1, append([]byte(headExif), richExif(be)...)},
		segment{markerAPP1, []byte(headXMP + packet)},
		segment{markerAPP2, append([]byte(headICC+"\x01\x02"), icc[:size*6/7]...)},
		segment{markerAPP2, append([]byte(headICC+"\x02\x02"), icc[size*6/7:]...)},
		segment{markerAPP2, []byte(headMPF + "OLDPIXELS")},
		segment{markerAPP13, append([]byte(headPhotoshop), resources()...)},
		segment{0xe5, []byte("own segment")},
		segment{markerCOM, []byte("a comment")})
	text := []byte("Author\x00Somebody")
	png := buildPNG(2, 1, 8, pngRGB, 0, filterNone([]byte{1, 2, 3, 4, 5, 6}),
		chunk{"gAMA", []byte{0, 0, 0xb1, 0x8f}}, chunk{"iCCP", append([]byte("name\x00\x00"), deflate(icc)...)},
		chunk{"sBIT", []byte{8, 8, 8}}, chunk{"bKGD", []byte{0, 1, 0, 2, 0, 3}},
		chunk{"pHYs", []byte{0, 0, 0x2e, 0x23, 0, 0, 0x17, 0x12, 1}}, chunk{"tEXt", text},
		chunk{"zTXt", append([]byte("Long\x00\x00"), deflate([]byte("words"))...)},
		chunk{"tIME", []byte{7, 0xea, 1, 2, 3, 4, 5}},
		chunk{"eXIf", richExif(le)}, chunk{"iTXt", xmpChunk([]byte(packet))}, chunk{"prIV", []byte("private")},
		chunk{"prIv", []byte("safe to copy")})
	p := pixels(2, 1, rgb, []uint32{8, 8, 8}, []byte{1, 2, 3, 4, 5, 6}).with(tagOrientation, 6)
	return map[Format][]byte{JPEG: jpeg, PNG: png, TIFF: enrich(t, buildTIFF(be, p), icc)}
}

// enrich writes a TIFF file again with more tags.
func enrich(t testing.TB, file, icc []byte) []byte {
	t.Helper()
	img := decoded(t, file, ReadOptions{})
	tags, order := exifTags(richExif(be))
	if order == nil {
		t.Fatal("no tags")
	}
	img.Meta.tiff.tags = tags.with(ascii(tagDescription, "a description"), ascii(65000, "own tag"),
		numbers(order, 65001, typeShort, 1, 2, 3),
		tag{id: tagICC, typ: typeUndefined, count: uint64(len(icc)), data: icc},
		tag{id: tagXMP, typ: typeByte, count: uint64(len(packet)), data: []byte(packet)},
		tag{id: tagPhotoshop, typ: typeByte, count: uint64(len(resources())), data: resources()},
		tag{id: 37724, typ: typeUndefined, count: 9, data: []byte("OLDPIXELS")})
	return encoded(t, img, WriteOptions{})
}

// TestMetadataOfTheSameKind checks that metadata is kept if the format does not change. It looks for bytes of each
// item.
func TestMetadataOfTheSameKind(t *testing.T) {
	files := richFiles(t)
	icc := profile("RGB ", 70_000)
	want := map[Format][]string{
		JPEG: {"JFIF\x00\x01\x02\x01\x00\x96\x01\x2c\x00\x00", "Maker\x00", "2026:11:21", "MAKER\x00\x01\x02",
			`tiff:Orientation="1"`, "A title", "Caption", "own segment", "a comment"},
		PNG: {"gAMA\x00\x00\xb1\x8f", "sBIT\x08\x08\x08", "bKGD\x00\x01\x00\x02\x00\x03",
			"pHYs\x00\x00\x17\x12\x00\x00\x2e\x23\x01", "tEXtAuthor\x00Somebody",
			"zTXtLong\x00\x00", "tIME\x07\xea\x01\x02\x03\x04\x05", "Maker\x00", "MAKER\x00\x01\x02",
			`tiff:Orientation="1"`, "iCCPname\x00\x00", "safe to copy"},
		TIFF: {"Maker\x00", "2026:11:21", "MAKER\x00\x01\x02", "A title", "Caption", "a description", "own tag"},
	}
	for f, file := range files {
		img := decoded(t, file, ReadOptions{})
		out := encoded(t, img, WriteOptions{})
		for _, s := range want[f] {
			if !bytes.Contains(out, []byte(s)) {
				t.Errorf("%v: %q is lost", f, s)
			}
		}
		for _, s := range []string{"OLDPIXELS", "THUMBNAIL", "private"} {
			if bytes.Contains(out, []byte(s)) {
				t.Errorf("%v: %s is left", f, s)
			}
		}
		again := decoded(t, out, ReadOptions{})
		if p, err := again.Meta.ICC(); err != nil || !bytes.Equal(p, icc) {
			t.Errorf("%v: a profile of %d bytes, %v", f, len(p), err)
		}
		if again.Width != img.Width || exifOrientation(again.Meta.EXIF()) != 1 {
			t.Errorf("%v: turns again", f)
		}
		// JPEG's pixels are rounded again
		if twice := encoded(t, again, WriteOptions{}); !bytes.Equal(twice, out) && f != JPEG {
			t.Errorf("%v: written again, the file is another", f)
		}
		bare := encoded(t, img, WriteOptions{Strip: true})
		for _, s := range []string{"Maker", "title", "Caption", "comment", "Somebody", "own ", "description"} {
			if bytes.Contains(bare, []byte(s)) {
				t.Errorf("%v: %s is not stripped", f, s)
			}
		}
		stripped := decoded(t, bare, ReadOptions{})
		if p, _ := stripped.Meta.ICC(); !bytes.Equal(p, icc) {
			t.Errorf("%v: the profile is stripped", f)
		}
		if s := stripped.Meta.shared(); !s.density.known() {
			t.Errorf("%v: the resolution is stripped", f)
		}
	}
}

// TestMetadataOfOtherKinds checks that metadata is kept if the format changes, where the new format can hold it.
func TestMetadataOfOtherKinds(t *testing.T) {
	icc := profile("RGB ", 70_000)
	for from, file := range richFiles(t) {
		for _, to := range []Format{PNG, JPEG, TIFF} {
			img := decoded(t, file, ReadOptions{})
			got := readBack(t, img, WriteOptions{Format: to}).Meta
			s := got.shared()
			name := fmt.Sprintf("%v to %v", from, to)
			if !bytes.Equal(s.icc, icc) {
				t.Errorf("%s: a profile of %d bytes", name, len(s.icc))
			}
			if !strings.Contains(string(s.xmp), "A title") {
				t.Errorf("%s: no XMP", name)
			}
			tags, _ := exifTags(s.exif)
			if e := tags.find(tagExif); e == nil || e.subs[0].find(36867) == nil || tags.find(tagGPS) == nil {
				t.Errorf("%s: no Exif", name)
			}
			if to != PNG && from != PNG && !hasIPTC(s.photoshop) {
				t.Errorf("%s: no IPTC", name)
			}
			if d := s.density; !d.known() || d.x/d.y > 0.51 && d.x/d.y < 1.99 {
				t.Errorf("%s: resolution %v", name, d)
			}
		}
	}
}

// TestFaultF3TextBombs checks that compressed texts that expand too far are refused.
func TestFaultF3TextBombs(t *testing.T) {
	bomb := deflate(make([]byte, maxInflated+1))
	for name, c := range map[string]chunk{
		"zTXt": {"zTXt", append([]byte("a\x00\x00"), bomb...)}, "iTXt": {"iTXt",
			append([]byte("a\x00\x01\x00\x00\x00"), bomb...)},
		"iCCP": {"iCCP", append([]byte("a\x00\x00"), bomb...)},
	} {
		is(t, name, buildPNG(2, 1, 8, pngGray, 0, filterNone([]byte{7, 200}), c), ReadOptions{},
			"limit: PNG with texts or a profile of more than 16 MiB")
	}
}

// TestOddMetadata checks that damaged metadata does not keep a picture from being read and written.
func TestOddMetadata(t *testing.T) {
	odd := []segment{{markerAPP1, []byte(headExif + "II*\x00\xff\xff")}, {markerAPP0, []byte("JFIF\x00")},
		{markerAPP13, []byte(headPhotoshop + "8BIM\x04")},
		{markerAPP2, []byte(headICC + "\x03\x02abc")}, {markerAPP14, []byte("Adobe")}}
	img := decoded(t, withSegments(buildJPEG(t, scene(8, 8)), odd...), ReadOptions{})
	for _, f := range []Format{PNG, JPEG, TIFF} {
		readBack(t, img, WriteOptions{Format: f})
	}
	exif := tiffForm{order: le}.block(directory{ascii(271, "Make")})
	file := buildPNG(2, 1, 8, pngGray, 0, filterNone([]byte{7, 200}), chunk{"iCCP", []byte("a\x00\x00broken")},
		chunk{"eXIf", exif})
	img = decoded(t, file, ReadOptions{})
	if _, err := img.Meta.ICC(); !errors.Is(err, ErrFormat) || len(img.Warnings) != 1 {
		t.Errorf("a damaged profile: %v, warnings %q", err, img.Warnings)
	}
	for _, f := range []Format{PNG, JPEG, TIFF} {
		if got := readBack(t, img, WriteOptions{Format: f}).Meta.EXIF(); !bytes.Contains(got,
			[]byte("Make")) {
			t.Errorf("%v: a damaged profile takes the Exif block along", f)
		}
	}
}

// TestLongXMP checks that a packet that would no longer fit in its segment after a turn leaves the file in order.
func TestLongXMP(t *testing.T) {
	const name = "tiff:ImageWidth "
	packet := strings.Repeat(name, (maxSegment-len(headXMP))/len(name))
	file := withSegments(withExif(buildJPEG(t, scene(20, 16)), exifBlock(le, 6)),
		segment{markerAPP1, []byte(headXMP + packet)})
	got := readBack(t, decoded(t, file, ReadOptions{}), WriteOptions{})
	if len(got.Warnings) > 0 || string(got.Meta.XMP()) != packet {
		t.Errorf("an XMP packet of %d bytes, %q", len(got.Meta.XMP()), got.Warnings)
	}
}

// TestMetadataIsNotChanged checks that writing an image does not change the metadata that it shares with others.
func TestMetadataIsNotChanged(t *testing.T) {
	img := decoded(t, buildPNG(8, 1, 1, pngGray, 0, filterNone([]byte{0xaa}), chunk{"bKGD", []byte{0, 1}}),
		ReadOptions{})
	gray := *img
	gray.Depth = Depth8
	want := encoded(t, &gray, WriteOptions{})
	encoded(t, img, WriteOptions{})
	if got := encoded(t, &gray, WriteOptions{}); !bytes.Equal(got, want) {
		t.Error("other bytes than before")
	}
}

// TestJPEGCodingIsKept checks which quality and subsampling a JPEG is written with.
func TestJPEGCodingIsKept(t *testing.T) {
	img := planesOf(t, image.Image(scene(33, 17)), false, false, JPEG)
	source := func(quality int) *Image {
		return readBack(t, img, WriteOptions{Quality: quality, Subsampling: Subsampling420})
	}
	for _, c := range []struct {
		source  int
		o       WriteOptions
		quality int
		factors [2]int
	}{
		{30, WriteOptions{}, 90, [2]int{2, 2}}, {89, WriteOptions{}, 90, [2]int{2, 2}},
		{90, WriteOptions{}, 90, [2]int{2, 2}},
		{97, WriteOptions{}, 97, [2]int{2, 2}}, {100, WriteOptions{}, 100, [2]int{2, 2}},
		{90, WriteOptions{Quality: 70}, 70, [2]int{2, 2}}, {30, WriteOptions{Quality: 20}, 20, [2]int{2, 2}},
		{93, WriteOptions{Subsampling: Subsampling444}, 93, [2]int{1, 1}},
		{90, WriteOptions{Subsampling: Subsampling422, Quality: 99}, 99, [2]int{2, 1}},
	} {
		first := source(c.source)
		if q := first.Meta.Quality(); q != c.source {
			t.Errorf("quality %d is taken for %d", c.source, q)
		}
		got := readBack(t, first, c.o).Meta
		if q := got.Quality(); q != c.quality || got.jpeg.coding.factors[0] != c.factors {
			t.Errorf("%d, %+v: quality %d, factors %v", c.source, c.o, q, got.jpeg.coding.factors)
		}
	}
	for q := 1; q <= 100; q++ {
		if got := qualityOf(quantOf(&typicalLuma, q)); got != q {
			t.Errorf("quality %d is taken for %d", q, got)
		}
	}
}

// TestJPEGStepsAreNotCoarser checks every quantisation step of a file with tables of its own.
func TestJPEGStepsAreNotCoarser(t *testing.T) {
	own, plain := new(quantTable), quantOf(&typicalLuma, minQuality)
	for i := range own {
		own[i] = uint8(1 + i*3%40)
	}
	img := noise(16, 16, 1, false, Depth8, 1)
	img.Meta = &Metadata{jpeg: &jpegMeta{coding: jpegCoding{factors: [][2]int{{1, 1}}, tables: []*quantTable{own}}}}
	got := readBack(t, img, WriteOptions{Format: JPEG}).Meta.jpeg.coding.tables[0]
	for i, v := range got {
		if want := min(own[i], plain[i]); v != want {
			t.Errorf("step %d is %d, want %d", i, v, want)
		}
	}
	if own[1] != 4 {
		t.Error("the table of the source was changed")
	}
}
