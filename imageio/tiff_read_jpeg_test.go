package imageio

import (
	"bytes"
	"errors"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// jpegPage is a page of colour whose strips of 16 x 8 pixels are the JPEG files.
func jpegPage(files ...[]byte) page {
	p := pixels(16, uint32(8*len(files)), ycbcr, []uint32{8, 8, 8}, nil)
	p.strips = files
	return p.with(tagCompression, compressionJPEG).with(tagRowsPerStrip, 8).with(tagYCbCrSampling, 1, 1)
}

// jpegSegment is a marker segment.
func jpegSegment(marker byte, body ...byte) []byte {
	return append([]byte{0xff, marker, 0, byte(len(body) + 2)}, body...)
}

// jpegOfScans returns a JPEG file of 16 x 8 pixels and three components, without Huffman tables. Each has a scan of its
// own, of the same gray, after what is to precede it; a component whose part is nil has none.
func jpegOfScans(t testing.TB, before ...[]byte) []byte {
	gray := image.NewGray(image.Rect(0, 0, 16, 8))
	for i := range gray.Pix {
		gray.Pix[i] = byte(60 + 9*(i%16))
	}
	data := buildJPEG(t, gray)
	sos := []byte{0xff, markerSOS, 0, 8}
	codes := bytes.TrimSuffix(data[bytes.Index(data, sos)+2+8:], []byte{0xff, markerEOI})
	out := append([]byte{0xff, markerSOI},
		jpegSegment(markerSOF0, 8, 0, 8, 0, 16, 3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1)...)
	for i, b := range before {
		if b == nil {
			continue
		}
		out = slices.Concat(out, b, jpegSegment(markerSOS, 1, byte(i+1), 0, 0, 63, 0), codes)
	}
	return append(out, 0xff, markerEOI)
}

// A page of JPEG files of which one lacks tables, has others or another size is damaged. What is left of it is written
// and read again.
func TestDamagedJPEGInTIFF(t *testing.T) {
	first := jpegSegment(markerDQT, append([]byte{0}, bytes.Repeat([]byte{3}, 64)...)...)
	second := jpegSegment(markerDQT, append([]byte{1}, bytes.Repeat([]byte{3}, 64)...)...)
	both := slices.Concat(first, second)
	tables := func(p page, segments ...byte) page {
		file := slices.Concat([]byte{0xff, markerSOI}, segments, []byte{0xff, markerEOI})
		file = append(file, make([]byte, 3)...)
		var words []uint32
		for ; len(file) > 3; file = file[4:] {
			words = append(words, le.Uint32(file))
		}
		return p.with(tagJPEGTables, words...)
	}
	none := []byte{}
	whole := jpegOfScans(t, both, none, none)
	without := jpegOfScans(t, none, none, none)
	sized := func(w, h byte) []byte {
		return bytes.Replace(whole, []byte{8, 0, 8, 0, 16, 3}, []byte{8, 0, h, 0, w, 3}, 1)
	}
	for name, c := range map[string]struct {
		page page
		want string // the error; empty = there is none
		lost int    // rows at the bottom of what is kept; -1 = nothing is kept
	}{
		"whole":                    {jpegPage(whole, whole), "", 0},
		"tables before their scan": {jpegPage(jpegOfScans(t, first, second, none)), "", 0},
		"tables in their tag":      {tables(jpegPage(without, without), both...), "", 0},
		"no tables":                {jpegPage(without, without), "no quantisation table", -1},
		"no tables at first":       {jpegPage(without, whole), "no quantisation table", 0},
		"no tables at last":        {jpegPage(whole, without), "no quantisation table", 8},
		"other tables":             {tables(jpegPage(without), second...), "no quantisation table", -1},
		"a table for luma":         {tables(jpegPage(without), first...), "no quantisation table", 0},
		"damaged tables":           {tables(jpegPage(without), first[:20]...), "damaged JPEG", -1},
		"a scan for luma":          {jpegPage(whole, jpegOfScans(t, both, nil, nil)), "no scan of component 2", 0},
		"lower than its strip":     {jpegPage(whole, sized(16, 7)), "is a JPEG file of 16 x 7 pixels", 8},
		"narrower than its strip":  {jpegPage(whole, sized(15, 8)), "is a JPEG file of 15 x 8 pixels", 8},
		"no frame":                 {jpegPage(whole, []byte("\xff\xd8\xff\xd9")), "damaged JPEG: unexpected EOF", 8},
		"much larger":              {jpegPage(whole, sized(64, 64)), "64 x 64 pixels", -1},
	} {
		file := buildTIFF(le, c.page)
		_, err := Decode(file, ReadOptions{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		img, err := Decode(file, ReadOptions{KeepDamaged: true})
		if (err != nil) != (c.lost < 0) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, kept: %v", name, err)
		}
		if err != nil {
			continue
		}
		if all := strings.Join(img.Warnings, "\n"); img.MissingBottom != c.lost || !strings.Contains(all, c.want) {
			t.Errorf("%s, kept: %d rows are missing, warnings %q", name, img.MissingBottom, all)
		}
		comesBack(t, name, img, WriteOptions{})
		img.Planes[0][0] = 1 - img.Planes[0][0]
		must.Do(t, carried(img))
	}
	img := decoded(t, buildTIFF(le, jpegPage(whole)), ReadOptions{})
	file := encoded(t, img, WriteOptions{}) // its pixels are at the end
	r := must.Get(NewReader(file, ReadOptions{}))(t)
	r.tiff.file.r = bytes.NewReader(file[:len(file)-9])
	if _, err := r.Page(0); err == nil || err.Error() != "damaged TIFF: unexpected EOF" {
		t.Errorf("a file that has become shorter: %v", err)
	}
	_, err := Decode(buildTIFF(le, tables(jpegPage(without), bytes.Repeat(both, 2000)...)), ReadOptions{})
	if err == nil || !strings.Contains(err.Error(), "bytes of JPEG tables") {
		t.Errorf("tables of 256 KB: %v", err)
	}
}

// A JPEG file without quantisation tables has no picture that could be kept.
func TestJPEGWithoutTables(t *testing.T) {
	_, err := Decode(jpegOfScans(t, []byte{}, []byte{}, []byte{}), ReadOptions{KeepDamaged: true})
	if !errors.Is(err, ErrFormat) || errors.Is(err, ErrPartial) {
		t.Error(err)
	}
}
