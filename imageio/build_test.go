package imageio

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// These functions build test files bit by bit, so that the tests of readers do not depend on the writers.

type chunk struct {
	kind string
	body []byte
}

// buildPNG returns a PNG file with the given filtered rows, and with chunks before the pixels.
func buildPNG(w, h uint32, bits, colour, interlace byte, stream []byte, before ...chunk) []byte {
	var b bytes.Buffer
	b.WriteString(pngSignature)
	ihdr := binary.BigEndian.AppendUint32(nil, w)
	ihdr = binary.BigEndian.AppendUint32(ihdr, h)
	writeChunk(&b, "IHDR", append(ihdr, bits, colour, 0, 0, interlace))
	for _, c := range before {
		writeChunk(&b, c.kind, c.body)
	}
	writeChunk(&b, "IDAT", deflate(stream))
	writeChunk(&b, "IEND", nil)
	return b.Bytes()
}

func deflate(p []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(p)
	z.Close()
	return b.Bytes()
}

// changed returns a file with other bytes from a place on.
func changed(file []byte, at int, v ...byte) []byte {
	file = bytes.Clone(file)
	copy(file[at:], v)
	return file
}

// filterNone puts the filter type 0 before each row.
func filterNone(rows ...[]byte) []byte {
	var out []byte
	for _, r := range rows {
		out = append(append(out, 0), r...)
	}
	return out
}

// adam7 returns the interlaced rows of 8-bit gray pixels (PNG specification, section 8.2).
func adam7(w, h int, at func(x, y int) byte) []byte {
	var out []byte
	for _, p := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2},
		{0, 1, 1, 2}} {
		for y := p[1]; y < h; y += p[3] {
			var row []byte
			for x := p[0]; x < w; x += p[2] {
				row = append(row, at(x, y))
			}
			if row != nil {
				out = append(out, filterNone(row)...)
			}
		}
	}
	return out
}

// page is a directory of a TIFF file. buildTIFF adds the tables of its strips or tiles.
type page struct {
	tags   map[uint16][]uint32
	strips [][]byte
	tiles  bool
}

// with returns the page with more tags, or other values.
func (p page) with(tag uint16, v ...uint32) page {
	tags := map[uint16][]uint32{tag: v}
	for t, old := range p.tags {
		if t != tag {
			tags[t] = old
		}
	}
	p.tags = tags
	return p
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// buildTIFF returns a TIFF file with strips before directories. All values are LONG.
func buildTIFF(order byteOrder, pages ...page) []byte {
	out := []byte("II*\x00\x00\x00\x00\x00")
	if order == byteOrder(binary.BigEndian) {
		out = []byte("MM\x00*\x00\x00\x00\x00")
	}
	link := 4
	for _, p := range pages {
		var offsets, counts []uint32
		for _, s := range p.strips {
			offsets, counts = append(offsets, uint32(len(out))), append(counts, uint32(len(s)))
			out = append(out, s...)
		}
		at, n := uint16(tagStripOffsets), uint16(tagStripByteCounts)
		if p.tiles {
			at, n = tagTileOffsets, tagTileByteCounts
		}
		if p.strips != nil {
			p = p.with(at, offsets...).with(n, counts...)
		}
		var dir []byte
		count := 0
		for tag := range uint16(math.MaxUint16) {
			v, ok := p.tags[tag]
			if !ok {
				continue
			}
			count++
			dir = order.AppendUint32(order.AppendUint16(order.AppendUint16(dir, tag), 4), uint32(len(v)))
			if len(v) == 1 {
				dir = order.AppendUint32(dir, v[0])
				continue
			}
			dir = order.AppendUint32(dir, uint32(len(out)))
			for _, x := range v {
				out = order.AppendUint32(out, x)
			}
		}
		order.PutUint32(out[link:], uint32(len(out)))
		out = append(order.AppendUint16(out, uint16(count)), dir...)
		link = len(out)
		out = order.AppendUint32(out, 0)
	}
	return out
}

// ascii returns a tag with a text, which ends with 0.
func ascii(id uint16, text string) tag {
	return tag{id: id, typ: typeASCII, count: uint64(len(text) + 1), data: []byte(text + "\x00")}
}

// pixels returns a page of one strip.
func pixels(w, h, photometric uint32, bits []uint32, data []byte) page {
	return page{
		tags: map[uint16][]uint32{
			tagImageWidth: {w}, tagImageLength: {h}, tagBitsPerSample: bits, tagCompression: {compressionNone},
			tagPhotometric: {photometric}, tagSamplesPerPixel: {uint32(len(bits))}, tagRowsPerStrip: {h},
		},
		strips: [][]byte{data},
	}
}

func floatBytes(order byteOrder, v ...float32) []byte {
	var b []byte
	for _, x := range v {
		b = order.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func buildJPEG(t testing.TB, src image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, jpeg.Encode(&b, src, &jpeg.Options{Quality: 90}))
	return b.Bytes()
}

// jpegFrame returns a JPEG file that ends after its frame header.
func jpegFrame(marker, precision byte, w, h uint16, components int) []byte {
	b := []byte{0xff, 0xd8, 0xff, marker}
	b = binary.BigEndian.AppendUint16(b, uint16(8+3*components))
	b = append(b, precision)
	b = binary.BigEndian.AppendUint16(b, h)
	b = binary.BigEndian.AppendUint16(b, w)
	b = append(b, byte(components))
	for i := range components {
		b = append(b, byte(i+1), 0x11, 0)
	}
	return b
}

// exifBlock returns an Exif block that holds only an orientation, as a SHORT like cameras write it.
func exifBlock(order byteOrder, value uint16) []byte {
	b := []byte("II*\x00")
	if order == be {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	for _, v := range []uint16{1, tagOrientation, 3, 0, 0, 0, 0, 0, 0} {
		b = order.AppendUint16(b, v)
	}
	order.PutUint32(b[14:], 1)
	order.PutUint16(b[18:], value)
	return b
}

// withExif inserts an Exif segment after the first marker of a JPEG file.
func withExif(file, block []byte) []byte {
	body := append([]byte("Exif\x00\x00"), block...)
	out := append([]byte{}, file[:2]...)
	out = append(out, 0xff, markerAPP1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(body)+2))
	return append(append(out, body...), file[2:]...)
}

// scene draws a picture without symmetry.
func scene(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, color.NRGBA{uint8(x * 255 / w), uint8(y * 255 / h), uint8((x*x + 3*y) % 256), 255})
		}
	}
	return m
}

// planesOf converts an image of the standard library.
func planesOf(t testing.TB, src image.Image, gray, alpha bool, f Format) *Image {
	t.Helper()
	return must.Get(fromImage(t.Context(), src, gray, alpha, f))(t)
}

// painted sets all samples of an image by a function of the channel and the place, and returns it.
func painted(img *Image, at func(c, i int) float32) *Image {
	for c, p := range img.channels() {
		for i := range p {
			p[i] = at(c, i)
		}
	}
	return img
}

// noise returns an image of random samples.
func noise(w, h, planes int, alpha bool, d Depth, seed uint64) *Image {
	r := rand.New(rand.NewPCG(seed, 1))
	img := newImage(w, h, planes, alpha, d, TIFF)
	for c, p := range img.channels() {
		for i := range p {
			switch {
			case d == Depth8:
				p[i] = unit8(uint8(r.Uint32()))
			case d == Depth16:
				p[i] = unit16(uint16(r.Uint32()))
			case c < planes:
				p[i] = float32(r.NormFloat64())
			default:
				p[i] = r.Float32()
			}
		}
	}
	return img
}

func writeFile(t testing.TB, path string, data []byte) string {
	t.Helper()
	must.Do(t, os.WriteFile(path, data, 0o666))
	return path
}

// withProcessors calls f with GOMAXPROCS set to n.
func withProcessors(n int, f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	f()
}

// deflateIf returns how pages are compressed.
func deflateIf(compressed bool) packing {
	if compressed {
		return packing{compressionDeflate, predictorHorizontal}
	}
	return packing{}
}
