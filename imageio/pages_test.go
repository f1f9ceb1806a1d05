package imageio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// pagesOf reads all pages.
func pagesOf(t testing.TB, data []byte) []*Image {
	t.Helper()
	r := must.Get(NewReader(data, ReadOptions{}))(t)
	var list []*Image
	for i := range r.Pages() {
		list = append(list, must.Get(r.Page(i))(t))
	}
	return list
}

// samePages checks that images are those that they should be.
func samePages(t *testing.T, what string, got, want []*Image) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d images of %d", what, len(got), len(want))
	}
	for i, img := range got {
		if !same(img, want[i]) {
			t.Errorf("%s: image %d is another", what, i)
		}
	}
}

func encodedPages(t testing.TB, list []*Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, EncodePages(&b, len(list), WriteOptions{Format: TIFF},
		func(i int) (*Image, error) { return list[i], nil }))
	return b.Bytes()
}

// TestPagesComeBack writes pages of several depths and sizes and reads them again.
func TestPagesComeBack(t *testing.T) {
	var list []*Image
	for i, d := range []Depth{Depth8, Depth16, DepthFloat32, Depth8, Depth16} {
		list = append(list, noise(3+i, 5-i, 1+i%2*2, i%2 == 0, d, uint64(i)))
	}
	samePages(t, "pages", pagesOf(t, encodedPages(t, list)), list)
	must.Fail(t, "one image of five", must.Err(Decode(encodedPages(t, list), ReadOptions{})), ErrUnsupported)
	for _, f := range []Format{PNG, JPEG} {
		err := EncodePages(&bytes.Buffer{}, 2, WriteOptions{Format: f},
			func(i int) (*Image, error) { return list[3], nil })
		if want := fmt.Sprintf("%v cannot hold 2 pages, but TIFF can", f); err == nil || err.Error() != want {
			t.Errorf("two pages: %v, want %s", err, want)
		}
	}
}

// TestPagesHaveTheFormatOfTheFirst writes a page of a TIFF file and one of a PNG file without saying what to write.
func TestPagesHaveTheFormatOfTheFirst(t *testing.T) {
	list := []*Image{noise(3, 2, 1, false, Depth8, 1), noise(4, 3, 3, false, Depth8, 2)}
	list[0].Format, list[1].Format = TIFF, PNG
	var b bytes.Buffer
	must.Do(t, EncodePages(&b, 2, WriteOptions{}, func(i int) (*Image, error) { return list[i], nil }))
	samePages(t, "of PNG, too", pagesOf(t, b.Bytes()), list)
}

// TestBadPage checks that a file with a bad page is refused when it is opened, and that the error has its number.
func TestBadPage(t *testing.T) {
	good := pixels(2, 1, blackIsZero, []uint32{8}, []byte{7, 200})
	for want, bad := range map[string]page{
		"unsupported: page 2: TIFF with 40-bit integer samples is not supported": good.with(tagBitsPerSample, 40),
		"limit: page 2: 100000 x 100000 pixels, limit is 100000000": good.with(tagImageWidth,
			100_000).with(tagImageLength, 100_000),
	} {
		is(t, "the second page", buildTIFF(le, good, bad, good), ReadOptions{}, want)
	}
	nan := pixels(1, 1, blackIsZero, []uint32{32}, floatBytes(le, float32(math.NaN()))).with(tagSampleFormat, 3)
	r := must.Get(NewReader(buildTIFF(le, good, nan), ReadOptions{}))(t)
	if _, err := r.Page(1); err == nil || err.Error() != "page 2: NaN or Inf at pixel (0, 0)" {
		t.Errorf("%v", err)
	}
	dir := t.TempDir()
	if err := WritePages(filepath.Join(dir, "a.tif"), 2, WriteOptions{}, r.Page); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

// stackOfImageJ returns a file with one directory and n images of 16 bits.
func stackOfImageJ(n int) []byte {
	text := fmt.Sprintf("ImageJ=1.54f\nimages=%d\nslices=%d\nunit=\\u00B5m\n\x00", n, n)
	var data []byte
	for i := range 6 * n {
		data = binary.BigEndian.AppendUint16(data, uint16(1000*i))
	}
	p := pixels(3, 2, blackIsZero, []uint32{16}, data)
	file := buildTIFF(be, p.with(tagDescription, 0).with(50838, 12, 34))
	f, _ := openTIFF(bytes.NewReader(file), int64(len(file)))
	d, _ := f.directory(f.first)
	at := d.find(tagDescription).at
	be.PutUint16(file[at+2:], typeASCII)
	be.PutUint32(file[at+4:], uint32(len(text)))
	be.PutUint32(file[at+8:], uint32(len(file)))
	be.PutUint32(file[d.find(tagStripByteCounts).at+8:], 12) // of the first image
	return append(file, text...)
}

// TestImageJStackIsTooLarge checks that a stack has a limit, as the number of directories has.
func TestImageJStackIsTooLarge(t *testing.T) {
	must.Fail(t, "a stack", must.Err(NewReader(stackOfImageJ(maxPages+1), ReadOptions{})), ErrLimit)
}

// TestImageJStack checks that a stack with one directory has all its images and is written as a stack again.
func TestImageJStack(t *testing.T) {
	const n = 5
	file := stackOfImageJ(n)
	list := pagesOf(t, file)
	if len(list) != n || list[4].Planes[0][1] != unit16(25000) {
		t.Fatalf("%d images", len(list))
	}
	out := encodedPages(t, list)
	if !bytes.Contains(out, []byte("ImageJ=1.54f\nimages=5")) || !bytes.HasPrefix(out, []byte("MM\x00*")) {
		t.Error("the description or the byte order is lost")
	}
	again := pagesOf(t, out)
	samePages(t, "written again", again, list)
	if again[0].Meta.tiff.stack != n {
		t.Errorf("a stack of %d images", again[0].Meta.tiff.stack)
	}
	comesBack(t, "an image out of the stack", list[2], WriteOptions{})
	short := bytes.Replace(file, []byte("images=5"), []byte("images=99"), 1)
	if got, want := outcome(short, ReadOptions{}),
		"format: damaged TIFF: an ImageJ stack of 99 images, of which "; !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
}

// stackOfMetaMorph returns a file with n images whose only directory says that there are others.
func stackOfMetaMorph(n, says int) []byte {
	file := bytes.Replace(stackOfImageJ(n), []byte("ImageJ=1.54f"), []byte("no images at"), 1)
	f, _ := openTIFF(bytes.NewReader(file), int64(len(file)))
	d, _ := f.directory(f.first)
	e := d.find(50838)
	be.PutUint16(file[e.at:], tagUIC2)
	be.PutUint16(file[e.at+2:], typeRational)
	be.PutUint32(file[e.at+4:], uint32(says))
	be.PutUint32(file[e.at+8:], uint32(len(file)))
	return append(file, make([]byte, 8*says)...)
}

// TestMetaMorphStack checks that all images of a stack come back, as pages, without the tags that belong to one
// directory.
func TestMetaMorphStack(t *testing.T) {
	const n = 4
	stack := func(says int) []byte { return stackOfMetaMorph(n, says) }
	// The pages of the output would all have what one directory has.
	bomb := stack(n)
	f, _ := openTIFF(bytes.NewReader(bomb), int64(len(bomb)))
	d, _ := f.directory(f.first)
	text := d.find(tagDescription).at
	be.PutUint32(bomb[text+4:], 30<<20)
	be.PutUint32(bomb[text+8:], uint32(len(bomb)))
	if got, want := outcome(append(bomb, bytes.Repeat([]byte("X"), 30<<20)...), ReadOptions{}),
		"limit: more than 94 MiB or "; !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
	list := pagesOf(t, stack(n))
	if len(list) != n || list[3].Planes[0][1] != unit16(19000) {
		t.Fatalf("%d images", len(list))
	}
	if len(list[0].Warnings) != 1 || len(list[1].Warnings) != 0 {
		t.Errorf("warnings %q, %q", list[0].Warnings, list[1].Warnings)
	}
	again := pagesOf(t, encodedPages(t, list))
	samePages(t, "written again", again, list)
	if again[0].Meta.tiff.tags.find(tagUIC2) != nil {
		t.Error("a tag of the stack is left")
	}
	if got, want := outcome(stack(99), ReadOptions{}),
		"format: damaged TIFF: a MetaMorph stack of 99 images, of which "; !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
}

// TestBigTIFF checks that BigTIFF stays BigTIFF.
func TestBigTIFF(t *testing.T) {
	for _, order := range []byteOrder{le, be} {
		list := []*Image{noise(5, 4, 3, true, Depth16, 1), noise(6, 3, 1, false, DepthFloat32, 2)}
		for _, img := range list {
			img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order, true},
				packing: deflateIf(img.Depth == Depth16)}}
		}
		file := encodedPages(t, list)
		if magic := order.Uint16(file[2:]); magic != 43 {
			t.Errorf("magic number %d", magic)
		}
		got := pagesOf(t, file)
		for i, img := range got {
			if !same(img, list[i]) || img.Meta.form() != (tiffForm{order, true}) {
				t.Errorf("page %d is another", i)
			}
		}
	}
	// The first page decides whether all of them may need more than 32 bits of offsets.
	w := tiffWriter{pages: 100_000}
	if !w.chooseForm(noise(300, 200, 1, false, Depth8, 1)).big {
		t.Error("6 GB of pages as TIFF")
	}
}

// TestPackedPages writes and reads compressed samples of all depths in both byte orders.
func TestPackedPages(t *testing.T) {
	for _, order := range []byteOrder{le, be} {
		for _, d := range []Depth{Depth8, Depth16, DepthFloat32} {
			for _, planes := range []int{1, 3} {
				img := noise(37, 11, planes, planes == 3, d, 3)
				img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: order},
					packing: packing{compressionDeflate, predictorHorizontal}}}
				got := readBack(t, img, WriteOptions{})
				if !same(got, img) || !got.Meta.tiff.compressed() {
					t.Errorf("%v, %d planes: other samples", d, planes)
				}
			}
		}
	}
}

// TestPlanarPages reads separate planes in strips and tiles, with predictors.
func TestPlanarPages(t *testing.T) {
	one := func(v ...byte) []byte { return deflate(v) }
	strips := pixels(2, 2, rgb, []uint32{8, 8, 8}, nil).with(tagPlanarConfig, 2).with(tagRowsPerStrip, 1).
		with(tagCompression, compressionDeflate).with(tagPredictor, predictorHorizontal)
	strips.strips = [][]byte{one(1, 1), one(3, 1), one(5, 1), one(7, 1), one(9, 1), one(11, 1)}
	is(t, "strips", buildTIFF(le, strips), ReadOptions{}, "TIFF 2 x 2 RGB 8-bit 1,2,3,4 5,6,7,8 9,10,11,12")
	for _, order := range []byteOrder{le, be} {
		words := func(v ...uint16) (b []byte) {
			for _, x := range v {
				b = order.AppendUint16(b, x)
			}
			return deflate(b)
		}
		p := pixels(2, 1, rgb, []uint32{16, 16, 16}, nil).with(tagPlanarConfig, 2).with(tagCompression,
			compressionDeflate).with(tagPredictor, predictorHorizontal)
		p.strips = [][]byte{words(258, 1), words(1000, 65535), words(0, 7)}
		is(t, fmt.Sprint(order), buildTIFF(order, p), ReadOptions{}, "TIFF 2 x 1 RGB 16-bit 258,259 1000,999 0,7")
	}
	tile := func(v byte) []byte { return append([]byte{v, v + 1}, make([]byte, 254)...) }
	tiles := pixels(2, 1, rgb, []uint32{8, 8, 8}, nil).with(tagPlanarConfig, 2).with(tagTileWidth,
		16).with(tagTileLength, 16)
	tiles.tiles, tiles.strips = true, [][]byte{tile(1), tile(3), tile(5)}
	is(t, "tiles", buildTIFF(be, tiles), ReadOptions{}, "TIFF 2 x 1 RGB 8-bit 1,2 3,4 5,6")
}

// TestFaultF3Pages checks that pages that share their pixels are refused by their directories.
func TestFaultF3Pages(t *testing.T) {
	p := pixels(1000, 1000, blackIsZero, []uint32{8}, deflate(make([]byte, 1_000_000))).with(tagCompression,
		compressionDeflate)
	file := buildTIFF(le, p)
	f, _ := openTIFF(bytes.NewReader(file), int64(len(file)))
	d, _ := f.directory(f.first)
	table := file[f.first:d.nextAt]
	for range 1000 { // the same directory again and again
		le.PutUint32(file[d.nextAt:], uint32(len(file)))
		d.nextAt = int64(len(file) + len(table))
		file = append(append(file, table...), 0, 0, 0, 0)
	}
	var got string
	n := allocated(func() { got = outcome(file, ReadOptions{}) })
	if want := "format: damaged TIFF: pixels outside the file"; got != want || n > 8<<20 {
		t.Errorf("got %s after %d bytes", got, n)
	}
}

// TestFaultF4PagesInBoundedMemory checks that only one page is in memory at a time.
func TestFaultF4PagesInBoundedMemory(t *testing.T) {
	dir := t.TempDir()
	page := noise(400, 300, 1, false, Depth16, 1)
	path := filepath.Join(dir, "a.tif")
	must.Do(t, WritePages(path, 40, WriteOptions{}, func(int) (*Image, error) { return page, nil }))
	r := must.Get(Open(path, ReadOptions{}))(t)
	defer r.Close()
	if i := r.Info(); i != (Info{TIFF, 400, 300, 1, Depth16, 40, 120_000, 0}) {
		t.Errorf("%+v", i)
	}
	n := allocated(func() {
		if _, err := r.Page(39); err != nil {
			t.Error(err)
		}
	})
	if n > 400*300*4+1<<20 { // the file has 10 MB
		t.Errorf("a page of %d bytes allocates %d", 400*300*4, n)
	}
}
