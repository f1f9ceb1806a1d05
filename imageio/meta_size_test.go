package imageio

import (
	"bytes"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// part returns the upper left part of an image.
func part(img *Image, width, height int) *Image {
	out := *img
	out.Planes = nil
	for _, p := range img.Planes {
		var q []float32
		for y := range height {
			q = append(q, p[y*img.Width:][:width]...)
		}
		out.Planes = append(out.Planes, q)
	}
	out.Width, out.Height = width, height
	return &out
}

const sizedPacket = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ` +
	`xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/" tiff:ImageWidth="640" tiff:ImageLength="480">` +
	`<exif:PixelXDimension>640</exif:PixelXDimension><exif:PixelYDimension>480</exif:PixelYDimension></rdf:Description></rdf:RDF></x:xmpmeta>`

// TestSizeInMetadata checks that Exif and XMP tell the size of a part of a picture, and that of a whole that was
// turned.
func TestSizeInMetadata(t *testing.T) {
	for f, file := range sizedFiles(t) {
		img := decoded(t, file, ReadOptions{})
		for _, to := range []Format{PNG, JPEG, TIFF} {
			for _, size := range [][2]int{{img.Width, img.Height}, {5, 3}} {
				want := [2]int{480, 640} // which the file told, exchanged
				if size[0] == 5 {
					want = size
				}
				out := encoded(t, part(img, size[0], size[1]), WriteOptions{Format: to})
				meta := decoded(t, out, ReadOptions{}).Meta
				if got := sizeInExif(meta.EXIF()); got != want {
					t.Errorf("%v to %v: Exif tells %v, not %v", f, to, got, want)
				}
				for i, name := range []string{`tiff:ImageWidth="%d"`, `tiff:ImageLength="%d"`,
					`<exif:PixelXDimension>%d</exif:PixelXDimension>`,
					`<exif:PixelYDimension>%d</exif:PixelYDimension>`} {
					if text := fmt.Sprintf(name, want[i%2]); !bytes.Contains(meta.XMP(), []byte(text)) {
						t.Errorf("%v to %v: no %s in %s", f, to, text, meta.XMP())
					}
				}
				path := writeFile(t, filepath.Join(t.TempDir(), "a"), out)
				report := run(t, "exiftool", "-s3", "-ExifIFD:ExifImageWidth", "-ExifIFD:ExifImageHeight",
					"-XMP-exif:ExifImageWidth", "-XMP-exif:ExifImageHeight", path)
				if text := fmt.Sprintf("%d\n%d\n", want[0], want[1]); report != text+text {
					t.Errorf("%v to %v: %s", f, to, report)
				}
			}
		}
	}
}

// sizedFiles returns a file of each format that is turned, and whose metadata tells a size of 640 x 480.
func sizedFiles(t *testing.T) map[Format][]byte {
	jpeg := withSegments(buildJPEG(t, scene(24, 16)), segment{markerAPP1, append([]byte(headExif), richExif(be)...)},
		segment{markerAPP1, []byte(headXMP + sizedPacket)})
	png := buildPNG(24, 16, 8, pngGray, 0, filterNone(slices.Collect(slices.Chunk(make([]byte, 24*16), 24))...),
		chunk{"eXIf", richExif(le)}, chunk{"iTXt", xmpChunk([]byte(sizedPacket))})
	img := decoded(t, png, ReadOptions{})
	tags, _ := exifTags(richExif(le))
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le},
		tags: tags.with(numbers(le, tagOrientation, typeShort, 6),
			tag{id: tagXMP, typ: typeByte, count: uint64(len(sizedPacket)), data: []byte(sizedPacket)})}}
	return map[Format][]byte{JPEG: jpeg, PNG: png, TIFF: encoded(t, img, WriteOptions{Format: TIFF})}
}

func sizeInExif(block []byte) (size [2]int) {
	_, d := exifDirectory(block)
	if d == nil {
		return size
	}
	sub := d.exif()
	if sub == nil {
		return size
	}
	for i, id := range []uint16{tagPixelsAcross, tagPixelsDown} {
		v, _ := sub.uint(id, 0)
		size[i] = int(v)
	}
	return size
}

// TestSizeOfTelephones checks the size that telephones write into the first directory.
func TestSizeOfTelephones(t *testing.T) {
	form := tiffForm{order: be}
	block := form.block(directory{numbers(be, tagImageWidth, typeShort, 640),
		numbers(be, tagImageLength, typeShort, 480), numbers(be, tagOrientation, typeShort, 6)})
	told := func(block []byte) [2]uint32 {
		_, d := exifDirectory(block)
		w, _ := d.uint(tagImageWidth, 0)
		h, _ := d.uint(tagImageLength, 0)
		return [2]uint32{w, h}
	}
	turned := uprightExif(block, 6)
	if got := told(turned); got != [2]uint32{480, 640} {
		t.Errorf("turned: %v", got)
	}
	if got := told(resizedExif(turned, 70_000, 9)); got != [2]uint32{70_000, 9} {
		t.Errorf("another size: %v", got)
	}
	if got := told(block); got != [2]uint32{640, 480} {
		t.Errorf("the block has changed: %v", got)
	}
}

// TestCropDropsMaps checks that a map of light does not follow a part of its picture, and that the metadata of the
// whole stays as it was.
func TestCropDropsMaps(t *testing.T) {
	light, right := buildJPEG(t, scene(31, 22)), buildJPEG(t, scene(64, 48))
	img := decoded(t, withMPF(t, le, buildJPEG(t, scene(64, 48)), []uint32{0, 0x00020002}, [][]byte{light, right}),
		ReadOptions{})
	whole := encoded(t, img, WriteOptions{})
	out := encoded(t, part(img, 32, 16), WriteOptions{})
	if got := scanJPEG(out).trailer; !bytes.Equal(got, right) {
		t.Errorf("%d bytes follow, not %d", len(got), len(right))
	}
	if !bytes.Equal(encoded(t, img, WriteOptions{}), whole) {
		t.Error("the metadata of the whole has changed")
	}
	only := decoded(t, withMPF(t, le, buildJPEG(t, scene(64, 48)), []uint32{0}, [][]byte{light}), ReadOptions{})
	cut := part(only, 32, 16)
	meta, lost := only.Meta.Cropped(image.Rect(0, 0, 32, 16))
	if cut.Meta = meta; len(lost) != 1 || !strings.Contains(lost[0], "maps of light") {
		t.Errorf("lost: %q", lost)
	}
	if _, lost := meta.Cropped(image.Rect(0, 0, 8, 8)); len(lost) > 0 {
		t.Errorf("a part of the part has lost %q", lost)
	}
	if meta, lost := only.Meta.Cropped(image.Rect(0, 0, 64, 48)); meta != only.Meta || len(lost) > 0 {
		t.Errorf("the whole has lost %q", lost)
	}
	out = encoded(t, cut, WriteOptions{})
	if !bytes.HasSuffix(out, []byte{0xff, markerEOI}) || strings.Contains(string(out), headMPF) {
		t.Error("a map is left")
	}
}
