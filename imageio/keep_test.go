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

// keepCases are files of which a part is damaged, and what is left of them.
func keepCases(t *testing.T) map[string]keepCase {
	const w, h = 40, 60
	level := func(i int) byte { return byte(37*i%251 + 1) }
	img := painted(newImage(w, h, 1, noAlpha, Depth8, PNG), func(_, i int) float32 { return unit8(level(i)) })
	rgba := painted(newImage(w, h, 3, withAlpha, Depth16, PNG),
		func(c, i int) float32 { return unit16(uint16(7919*(i+c)%65521 + 1)) })
	noise := encoded(t, img, WriteOptions{})
	body := bytes.Index(noise, []byte("IDAT")) + 4
	lines := func(rows int) (all [][]byte) {
		for y := range rows {
			row := make([]byte, w)
			for x := range row {
				row[x] = level(y*w + x)
			}
			all = append(all, row)
		}
		return all
	}
	short := buildPNG(w, h, 8, pngGray, 0, filterNone(lines(20)...))
	badFilter := filterNone(lines(h)...)
	badFilter[31*(w+1)] = 9
	laced := adam7(w, h, func(x, y int) byte { return level(y*w + x) })
	strips := page{tags: map[uint16][]uint32{tagImageWidth: {w}, tagImageLength: {h}, tagBitsPerSample: {8},
		tagRowsPerStrip: {10}, tagPhotometric: {blackIsZero}}}
	for y := 0; y < h; y += 10 {
		strips.strips = append(strips.strips, bytes.Join(lines(h)[y:y+10], nil))
	}
	packed := strips.with(tagCompression, compressionDeflate)
	packed.strips = nil
	for _, s := range strips.strips {
		packed.strips = append(packed.strips, deflate(s))
	}
	broken := packed
	broken.strips = slices.Clone(packed.strips)
	broken.strips[2] = broken.strips[2][:len(broken.strips[2])/2]
	last := strips
	last.strips = slices.Clone(strips.strips)
	last.strips[5] = last.strips[5][:5*w]
	outside := buildTIFF(le, strips)
	f := must.Get(openTIFF(bytes.NewReader(outside), int64(len(outside))))(t)
	d := must.Get(f.directory(f.first))(t)
	at, _, _ := d.extent(d.find(tagStripOffsets))
	le.PutUint32(outside[at+4*2:], 1<<30)
	turned := broken.with(tagOrientation, 6)
	turned.strips = broken.strips
	return map[string]keepCase{
		"PNG, cut": {noise[:body+(len(noise)-body)/2], img, "are missing, and stay black", 0, true},
		"PNG, cut in 16 bits": {cutHalf(encoded(t, rgba, WriteOptions{})), rgba, "are missing, and stay black", 0,
			true},
		"PNG, short": {short, img, "rows 21 to 60 of 60 are missing", 20, true},
		"PNG, bad filter": {buildPNG(w, h, 8, pngGray, 0, badFilter), img, "rows 32 to 60 of 60 are missing", 31,
			true},
		"PNG, bad checksum": {flipped(noise, len(noise)-12-4), img, "all rows could be read", h, true},
		"PNG, interlaced": {buildPNG(w, h, 8, pngGray, 1, laced[:len(laced)-10*(w+1)]), img,
			"rows 42 to 60 of 60 are missing", 41, true},
		"PNG, first passes": {buildPNG(w, h, 8, pngGray, 1, laced[:len(laced)/3]), img, "", 0, false},
		"PNG, bad header":   {flipped(short, 30), img, "", 0, false},
		"PNG, no pixels":    {noise[:body-8], img, "", 0, false},
		"TIFF, strip":       {buildTIFF(le, broken), img, "strip or tile 2", 20, true},
		"TIFF, outside":     {outside, img, "strip or tile 2 is missing", 20, true},
		"TIFF, turned":      {buildTIFF(le, turned), nil, "strip or tile 2", 20, true},
		"TIFF, last strip":  {buildTIFF(le, last), img, "rows 56 to 60 of 60 are missing", 55, true},
	}
}

type keepCase struct {
	file    []byte
	whole   *Image // nil: samples are not compared
	warning string
	rows    int // the first ones that are there; 0: any number
	kept    bool
}

func cutHalf(file []byte) []byte { return file[:len(file)/2] }

func flipped(file []byte, at int) []byte {
	file = bytes.Clone(file)
	file[at] ^= 0x10
	return file
}

// What is there of a damaged file is read if that is wanted, and the rest is black. Else the error says that a part
// could be read.
func TestKeepDamaged(t *testing.T) {
	for name, c := range keepCases(t) {
		_, err := Decode(c.file, ReadOptions{})
		if !errors.Is(err, ErrFormat) || c.kept && !errors.Is(err, ErrPartial) {
			t.Errorf("%s: refused as %v", name, err)
		}
		got, err := Decode(c.file, ReadOptions{KeepDamaged: true})
		if (err == nil) != c.kept {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !c.kept {
			continue
		}
		if all := strings.Join(got.Warnings, "\n"); !strings.Contains(all, c.warning) {
			t.Errorf("%s: warnings %q", name, all)
		}
		if c.whole == nil {
			continue
		}
		n := got.Height - got.MissingBottom
		if c.rows == 0 && (n < 1 || n >= got.Height) || c.rows > 0 && len(got.Holes) == 0 && n != c.rows {
			t.Errorf("%s: %d rows are there", name, n)
		}
		for i, p := range got.channels() {
			for at, v := range p {
				x, y := at%got.Width, at/got.Width
				want := c.whole.channels()[i][at]
				if strings.Contains(name, "interlaced") && y >= n {
					continue // every other row is there
				}
				if y >= n || slices.ContainsFunc(got.Holes, func(r image.Rectangle) bool {
					return (image.Point{X: x, Y: y}).In(r)
				}) {
					want = 0
				}
				if v != want {
					t.Fatalf("%s: sample %d, %d of channel %d is %g, not %g", name, x, y, i, v, want)
				}
			}
		}
	}
}

// The place of what is missing turns with the picture.
func TestHolesTurn(t *testing.T) {
	c := keepCases(t)["TIFF, turned"]
	img := must.Get(Decode(c.file, ReadOptions{KeepDamaged: true}))(t)
	if len(img.Holes) != 1 || img.Width != 60 {
		t.Fatalf("%d columns, holes %v", img.Width, img.Holes)
	}
	for at, v := range img.Planes[0] {
		if (v == 0) != (image.Point{X: at % 60, Y: at / 60}).In(img.Holes[0]) {
			t.Fatalf("%v does not hold the missing sample %d", img.Holes[0], at)
		}
	}
}

// Of a TIFF file whose third directory is outside of it, the pages before are read.
func TestKeepPages(t *testing.T) {
	one := page{tags: map[uint16][]uint32{tagImageWidth: {2}, tagImageLength: {1}, tagBitsPerSample: {8},
		tagPhotometric: {blackIsZero}}, strips: [][]byte{{1, 2}}}
	file := buildTIFF(le, one, one, one)
	r, err := NewReader(file, ReadOptions{})
	if err != nil || r.Pages() != 3 {
		t.Fatal(err)
	}
	at := r.tiff.at[2]
	le.PutUint32(file[bytes.LastIndex(file[:at], le.AppendUint32(nil, uint32(at))):], 1<<30)
	if _, err := NewReader(file, ReadOptions{}); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	r, err = NewReader(file, ReadOptions{KeepDamaged: true})
	if err != nil || r.Pages() != 2 {
		t.Fatal(err)
	}
	img, err := r.Page(1)
	if err != nil || len(img.Warnings) != 1 || !strings.HasPrefix(img.Warnings[0], "pages after this one") {
		t.Errorf("%v, %v", img, err)
	}
}
