package imageio

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// changeTag changes the value or the offset of a tag of the first directory of a little-endian TIFF file.
func changeTag(t *testing.T, file []byte, tag uint16, value uint32) []byte {
	t.Helper()
	f, err := openTIFF(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.directory(f.first)
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.Clone(file)
	le.PutUint32(out[d.find(tag).at+8:], value)
	return out
}

// changeNext changes the link to the next page behind the first directory.
func changeNext(t *testing.T, file []byte, next uint32) []byte {
	t.Helper()
	f, _ := openTIFF(bytes.NewReader(file), int64(len(file)))
	d, err := f.directory(f.first)
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.Clone(file)
	le.PutUint32(out[d.nextAt:], next)
	return out
}

// TestNearlyGoodTIFF reads files that libtiff and tifffile show whole.
func TestNearlyGoodTIFF(t *testing.T) {
	rows := make([]byte, 48)
	for i := range rows {
		rows[i] = byte(5 * i)
	}
	one := pixels(8, 6, blackIsZero, []uint32{8}, rows)
	plain := buildTIFF(le, one)
	small := pixels(8, 6, blackIsZero, []uint32{8}, deflate(rows)).with(tagCompression, compressionDeflate)
	packed := buildTIFF(le, small)
	three := one.with(tagRowsPerStrip, 2)
	three.strips = [][]byte{rows[:16], rows[16:32], rows[32:]}
	strips := buildTIFF(le, three)
	counts := bytes.Index(strips, le.AppendUint32(le.AppendUint32(nil, 16), 16))
	lost := bytes.Clone(strips)
	copy(lost[counts:], make([]byte, 12))
	tagged := buildTIFF(le, one.with(tagSoftware, 1, 2, 3).with(tagExif, 8))
	self := le.Uint32(plain[4:])
	const size = "the size of strip or tile 0 in the file is wrong"
	for name, c := range map[string]struct {
		file []byte
		warn string
	}{
		"count 0":          {changeTag(t, plain, tagStripByteCounts, 0), size},
		"too small":        {changeTag(t, plain, tagStripByteCounts, 40), size},
		"too large":        {changeTag(t, plain, tagStripByteCounts, 1<<30), size},
		"packed, count 0":  {changeTag(t, packed, tagStripByteCounts, 0), size},
		"packed, large":    {changeTag(t, packed, tagStripByteCounts, 1<<30), size},
		"counts 0":         {lost, size},
		"tag outside":      {changeTag(t, tagged, tagSoftware, 1<<30), "tag 305 lies outside the file"},
		"Exif outside":     {changeTag(t, tagged, tagExif, 1<<30), "tag 34665 lies outside the file"},
		"next outside":     {changeNext(t, plain, 0x7fff0000), "pages after this one cannot be read: "},
		"next is itself":   {changeNext(t, plain, self), "the last page has a link to an earlier one"},
		"next in the tags": {changeNext(t, plain, uint32(len(plain)-3)), "pages after this one cannot be read: "},
	} {
		for _, keep := range []bool{false, true} {
			img, err := Decode(c.file, ReadOptions{KeepDamaged: keep})
			if err != nil {
				t.Errorf("%s, keep %v: %v", name, keep, err)
				continue
			}
			if !slices.ContainsFunc(img.Warnings, func(w string) bool { return strings.HasPrefix(w, c.warn) }) {
				t.Errorf("%s: warnings %q", name, img.Warnings)
			}
			for i, v := range img.Planes[0] {
				if v != unit8(rows[i]) {
					t.Fatalf("%s: sample %d is %g", name, i, v)
				}
			}
			if back := readBack(t, img, WriteOptions{}); len(back.Warnings) > 0 {
				t.Errorf("%s: the new file has %q", name, back.Warnings)
			}
		}
	}
}

// What no reader can show is refused as before: less than all pixels, and more than the file has.
func TestNotNearlyGoodTIFF(t *testing.T) {
	rows := make([]byte, 4096)
	cut := buildTIFF(le, pixels(64, 65, blackIsZero, []uint32{8}, rows)) // a row less
	is(t, "short", cut, ReadOptions{}, "format: damaged TIFF: 4096 bytes of data are too few for its size")
	three := pixels(64, 64, blackIsZero, []uint32{8}, nil).with(tagRowsPerStrip, 16)
	three = three.with(tagCompression, compressionDeflate)
	data := deflate(rows[:1024])
	three.strips = [][]byte{data, data, data, data}
	file := buildTIFF(le, three)
	f, _ := openTIFF(bytes.NewReader(file), int64(len(file)))
	d, _ := f.directory(f.first)
	for i := range 4 { // all strips are the first
		at, _, _ := d.extent(d.find(tagStripOffsets))
		le.PutUint32(file[int(at)+4*i:], 8)
		at, _, _ = d.extent(d.find(tagStripByteCounts))
		le.PutUint32(file[int(at)+4*i:], 0)
	}
	is(t, "overlap", file, ReadOptions{}, "format: damaged TIFF: pixels outside the file")
	needed := buildTIFF(le, pixels(2, 1, rgb, []uint32{8, 8, 8}, make([]byte, 6)))
	is(t, "needed", changeTag(t, needed, tagBitsPerSample, 1<<30), ReadOptions{},
		"format: damaged TIFF: tag 258 lies outside the file")
}

// Data behind the last row of a PNG file belong to nothing, if everything else is right.
func TestDataBehindPNG(t *testing.T) {
	for interlaced, rows := range [][]byte{{0, 7, 200}, {0, 7, 0, 200}} {
		want := decoded(t, buildPNG(2, 1, 8, pngGray, byte(interlaced), rows), ReadOptions{})
		more := buildPNG(2, 1, 8, pngGray, byte(interlaced), append(slices.Clone(rows), make([]byte, 40)...))
		got := decoded(t, more, ReadOptions{})
		if !same(want, got) || len(got.Warnings) != 1 || !strings.HasPrefix(got.Warnings[0], "there are data behind") {
			t.Errorf("interlaced %d: %q", interlaced, got.Warnings)
		}
		at := bytes.Index(more, []byte("IDAT"))
		more[at+4+int(be.Uint32(more[at-4:]))] ^= 1
		if _, err := Decode(more, ReadOptions{}); err == nil {
			t.Error("pixels with a wrong checksum are read")
		}
	}
}

// What follows a whole picture in a JPEG file belongs to nothing, whatever it looks like.
func TestDataBehindJPEG(t *testing.T) {
	good := buildJPEG(t, scene(40, 30))
	want := decoded(t, good, ReadOptions{})
	got := decoded(t, append(bytes.Clone(good[:len(good)-1]), 0x12, 0x34, 0xd9), ReadOptions{})
	if !same(want, got) || !slices.Contains(got.Warnings, "what follows the picture belongs to nothing") {
		t.Errorf("%q", got.Warnings)
	}
	cut := append(bytes.Clone(good[:len(good)-40]), 0xff, 0x12, 0x34, 0xd9)
	if _, err := Decode(cut, ReadOptions{}); err == nil {
		t.Error("a part of a picture is read")
	}
}
