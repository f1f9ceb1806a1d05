package imageio

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// TestNearlyGoodJPEG reads files that libjpeg shows whole with a warning, or without one.
func TestNearlyGoodJPEG(t *testing.T) {
	for _, name := range []string{"420", "420-progressive", "422"} {
		file := must.Get(os.ReadFile(filepath.Join("testdata", "jpeg", name+".jpg")))(t)
		for _, keep := range []bool{false, true} {
			got := decoded(t, file[:len(file)-2], ReadOptions{KeepDamaged: keep})
			want := "the file lacks its end marker, and the picture is whole"
			if !same(got, decoded(t, file, ReadOptions{})) || !slices.Contains(got.Warnings, want) {
				t.Errorf("%s without its end, keep %v: %q", name, keep, got.Warnings)
			}
		}
	}
	img := newImage(16, 16, 4, noAlpha, Depth8, JPEG)
	for c, v := range []float32{0.9, 0.6, 0.3, 0.8} {
		for i := range img.Planes[c] {
			img.Planes[c][i] = v
		}
	}
	factors := [][2]int{{1, 1}, {1, 1}, {1, 1}, {1, 1}}
	img.Meta = &Metadata{jpeg: &jpegMeta{coding: jpegCoding{factors: factors, plain: true, adobe: true}}}
	file := encoded(t, img, WriteOptions{Quality: 100})
	at := bytes.Index(file, []byte{0xff, markerAPP14})
	plain := append(bytes.Clone(file[:at]), file[at+2+int(binary.BigEndian.Uint16(file[at+2:])):]...)
	got := decoded(t, plain, ReadOptions{})
	if !same(got, decoded(t, file, ReadOptions{})) || len(got.Warnings) != 1 ||
		!strings.HasPrefix(got.Warnings[0], "CMYK without") {
		t.Errorf("CMYK without an Adobe segment: %q", got.Warnings)
	}
}

// TestNearlyGoodPNG leaves out side chunks with a wrong checksum, and refuses a picture with one.
func TestNearlyGoodPNG(t *testing.T) {
	rows := filterNone([]byte{7, 200})
	text := chunk{"tEXt", []byte("a\x00b")}
	for kind, readable := range map[string]bool{"tEXt": true, "eXIf": true, "IHDR": false, "IDAT": false,
		"tRNS": false} {
		file := buildPNG(2, 1, 8, pngGray, 0, rows, text, chunk{"eXIf", exifBlock(be, 6)}, chunk{"tRNS", []byte{0, 7}})
		at := bytes.Index(file, []byte(kind))
		file[at+4+int(be.Uint32(file[at-4:]))] ^= 1
		img, err := Decode(file, ReadOptions{})
		if readable != (err == nil) {
			t.Errorf("%s: %v", kind, err)
		}
		if err == nil && (len(img.Warnings) != 1 || !strings.Contains(img.Warnings[0], kind) ||
			bytes.Contains(encoded(t, img, WriteOptions{}), []byte(kind))) {
			t.Errorf("%s: %q", kind, img.Warnings)
		}
	}
}

// TestDepth writes 8 bits with 16, where the file can hold them.
func TestDepth(t *testing.T) {
	img := decoded(t, buildPNG(2, 1, 8, pngGray, 0, filterNone([]byte{7, 200}), chunk{"bKGD", []byte{0, 3}}),
		ReadOptions{})
	img.Planes[0][0] = 7.25 / 255
	for _, f := range []Format{PNG, TIFF} {
		got := readBack(t, img, WriteOptions{Format: f, Depth: Depth16})
		if got.Depth != Depth16 || got.Planes[0][0] != float32(1863)/65535 || got.Planes[0][1] != img.Planes[0][1] {
			t.Errorf("%v: %v, %v", f, got.Depth, got.Planes)
		}
	}
	if file := encoded(t, img, WriteOptions{Depth: Depth16}); !bytes.Contains(file, []byte("bKGD\x03\x03")) {
		t.Error("the background keeps the value of 8 bits")
	}
	must.Fail(t, "JPEG", Encode(io.Discard, img, WriteOptions{Format: JPEG, Depth: Depth16}), ErrUnsupported)
	must.Fail(t, "8 bits", Encode(io.Discard, img, WriteOptions{Depth: Depth8}), ErrArgument)
}

// Integers that are written as floats keep their values, and what is between them is not rounded.
func TestDepthOfFloats(t *testing.T) {
	white := noise(5, 4, 1, false, Depth16, 1)
	white.stored.photometric, white.stored.inks = whiteIsZero+1, 1
	more := noise(5, 4, 3, true, Depth16, 2)
	more.Extra, more.NoData = [][]float32{slices.Clone(more.Planes[0])}, []float64{7}
	for _, img := range []*Image{noise(5, 4, 1, false, Depth8, 1), noise(5, 4, 3, true, Depth8, 2), white, more} {
		top := float32(img.Depth.Max())
		img.Planes[0][0] = 6.25 / top
		for _, level := range []float64{0, 4} {
			got := readBack(t, img, WriteOptions{Format: TIFF, Depth: DepthFloat32, White: level})
			if got.Depth != DepthFloat32 || got.Planes[0][0] != 6.25 {
				t.Fatalf("%v: %v, %g", img.Depth, got.Depth, got.Planes[0][0])
			}
			for c, p := range slices.Concat(img.Planes, img.Extra) {
				for i, v := range slices.Concat(got.Planes, got.Extra)[c] {
					if whole := float32(math.Round(float64(p[i] * top))); (c > 0 || i > 0) && v != whole {
						t.Errorf("%v: %g, not %g", img.Depth, v, whole)
					}
				}
			}
			if !slices.Equal(got.Alpha, img.Alpha) {
				t.Error("alpha has changed")
			}
		}
	}
	half := readBack(t, noise(2, 2, 1, false, DepthFloat16, 3), WriteOptions{Depth: DepthFloat32})
	if half.Depth != DepthFloat32 {
		t.Error(half.Depth)
	}
	floats := WriteOptions{Format: TIFF, Depth: DepthFloat32}
	must.Fail(t, "inks", Encode(io.Discard, noise(2, 2, 4, false, Depth8, 1), floats), ErrUnsupported)
	floats.Format = PNG
	must.Fail(t, "PNG", Encode(io.Discard, noise(2, 2, 1, false, Depth8, 1), floats), ErrUnsupported)
}

// OME-XML says the depth that the samples have now.
func TestDepthOfOME(t *testing.T) {
	img := noise(2, 2, 1, false, Depth8, 1)
	for depth, want := range map[Depth]string{0: `Type="uint8" SignificantBits="8"`, Depth16: `Type="uint16"`,
		DepthFloat32: `Type="float"`} {
		img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le}, tags: directory{
			ascii(tagDescription, `<OME><Image><Pixels Type="uint8" SignificantBits="8" SizeX="2"/></Image></OME>`)}}}
		file := encoded(t, img, WriteOptions{Depth: depth})
		if !bytes.Contains(file, []byte("<Pixels "+want+` SizeX="2"/>`)) {
			t.Errorf("%v: %q", depth, file)
		}
	}
}

// TestOver4GB opens a BigTIFF of 5 GB, most of which is a hole, and reads its last page.
func TestOver4GB(t *testing.T) {
	if os.Getenv("BLORC_LARGE_FILES") == "" {
		t.Skip("BLORC_LARGE_FILES is not set")
	}
	const side, pages = 1024, 2560
	le := binary.LittleEndian
	var b bytes.Buffer
	b.WriteString("II")
	for _, v := range []any{uint16(43), uint16(8), uint16(0), uint64(16)} {
		binary.Write(&b, le, v)
	}
	const directory, pixels = 8 + 9*20 + 8, 2 * side * side
	start := uint64(16 + pages*directory)
	for i := range uint64(pages) {
		tags := [][3]uint64{{256, 4, side}, {257, 4, side}, {258, 3, 16}, {259, 3, 1}, {262, 3, 1},
			{273, 16, start + i*pixels}, {277, 3, 1}, {278, 4, side}, {279, 16, pixels}}
		binary.Write(&b, le, uint64(len(tags)))
		for _, e := range tags {
			binary.Write(&b, le, [2]uint16{uint16(e[0]), uint16(e[1])})
			binary.Write(&b, le, [2]uint64{1, e[2]})
		}
		next := 16 + (i+1)*directory
		if i == pages-1 {
			next = 0
		}
		binary.Write(&b, le, next)
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "large.tif"), b.Bytes())
	if err := os.Truncate(path, int64(start)+pages*pixels); err != nil {
		t.Skipf("no sparse files: %v", err)
	}
	r := must.Get(Open(path, ReadOptions{}))(t)
	defer r.Close()
	if img, err := r.Page(pages - 1); err != nil || r.Pages() != pages || img.Width != side {
		t.Errorf("%d pages, %v", r.Pages(), err)
	}
	must.Fail(t, "over a limit that is set", must.Err(Open(path, ReadOptions{MaxBytes: 4 << 30})), ErrLimit)
}
