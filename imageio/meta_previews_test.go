package imageio

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// preview returns a small JPEG file.
func preview(t testing.TB) []byte {
	return buildJPEG(t, scene(16, 8).SubImage(image.Rect(0, 0, 16, 8)))
}

// holding reports whether a file still has the preview.
func holding(file, preview []byte) bool { return bytes.Contains(file, preview[len(preview)/2:]) }

// withMPF returns a JPEG file with a list of the pictures that follow it, and these pictures. Kinds holds what the list
// says of each.
func withMPF(t testing.TB, order byteOrder, file []byte, kinds []uint32, pictures [][]byte) []byte {
	n := len(pictures) + 1
	list := make([]byte, mpfEntrySize*n)
	form := tiffForm{order: order}
	d := directory{
		{id: 45056, typ: typeUndefined, count: 4, data: []byte("0100")},
		numbers(order, tagMPFCount, typeLong, uint64(n)),
		{id: tagMPFEntries, typ: typeUndefined, count: uint64(len(list)), data: list},
	}
	body := func() []byte { return slices.Concat([]byte(headMPF), form.header(8), form.put(d, 8, 0)) }
	out := withSegments(file, segment{markerAPP2, body()})
	at, end := 2+4+len(headMPF), len(out)
	order.PutUint32(list[0:], 0x20030000)
	order.PutUint32(list[4:], uint32(end))
	for i, p := range pictures {
		e := list[mpfEntrySize*(i+1):]
		order.PutUint32(e, kinds[i])
		order.PutUint32(e[4:], uint32(len(p)))
		order.PutUint32(e[8:], uint32(end-at))
		end += len(p)
	}
	return append(withSegments(file, segment{markerAPP2, body()}), slices.Concat(pictures...)...)
}

// TestPicturesBehindTheEnd checks which pictures of a list are kept, and that the list of the new file is right.
func TestPicturesBehindTheEnd(t *testing.T) {
	main := buildJPEG(t, scene(64, 48))
	small, light, right := preview(t), buildJPEG(t, scene(31, 22)), buildJPEG(t, scene(64, 48))
	film := []byte("....ftypmp42 a film")
	for _, order := range []byteOrder{le, be} {
		for _, turned := range []bool{false, true} {
			source := main
			if turned {
				source = withExif(main, exifBlock(order, 6))
			}
			file := append(withMPF(t, order, source, []uint32{0x40010001, 0, 0x00010002, 0x00020002},
				[][]byte{small, light, small, right}), film...)
			img := decoded(t, file, ReadOptions{})
			if got := len(img.Meta.Lost()) > 0; got != turned || !slices.Equal(img.Warnings, img.Meta.Lost()) {
				t.Errorf("turned %v: %v", turned, img.Meta.Lost())
			}
			out := encoded(t, img, WriteOptions{})
			h := scanJPEG(out)
			trailer, m, _ := h.trailing(1)
			want := slices.Concat(light, right, film)
			pictures := 3
			if turned {
				want, pictures = slices.Concat(right, film), 2
			}
			if !bytes.Equal(trailer, want) || m == nil || len(m.entries) != pictures {
				t.Fatalf("%v, turned %v: %d bytes follow, not %d; %+v", order, turned, len(trailer), len(want), m)
			}
			if size := order.Uint32(m.entries[0].raw[4:]); int(size) != h.trailerAt {
				t.Errorf("the first picture has %d bytes, not %d", size, h.trailerAt)
			}
			for _, e := range m.entries[1:] {
				if got := trailer[e.at:][:e.size]; !bytes.HasPrefix(got, []byte(jpegSignature)) ||
					scanJPEG(got).trailerAt != len(got) {
					t.Errorf("%v: no picture at %d", order, e.at)
				}
			}
			if again := encoded(t, decoded(t, out, ReadOptions{}),
				WriteOptions{}); !bytes.Equal(scanJPEG(again).trailer, want) {
				t.Error("written again, something else follows")
			}
			if strip := encoded(t, decoded(t, file, ReadOptions{}), WriteOptions{Strip: true}); !bytes.HasSuffix(strip,
				[]byte{0xff, markerEOI}) {
				t.Error("with strip, something follows")
			}
			path := writeFile(t, filepath.Join(t.TempDir(), "a.jpg"), out)
			report := run(t, "exiftool", "-s", "-MPImageCount", "-NumberOfImages", "-Warning", path)
			if !strings.Contains(report, fmt.Sprintf("NumberOfImages                  : %d", pictures)) ||
				strings.Contains(report, "Warning") {
				t.Error(report)
			}
		}
	}
	only := withMPF(t, le, main, []uint32{0x40010001}, [][]byte{small})
	if out := encoded(t, decoded(t, only, ReadOptions{}), WriteOptions{}); !bytes.HasSuffix(out,
		[]byte{0xff, markerEOI}) || bytes.Contains(out, []byte(headMPF)) {
		t.Error("a list of previews is left")
	}
}

// TestEmptyPictureInAList checks that a file is read to its end if its list names a preview of no bytes.
func TestEmptyPictureInAList(t *testing.T) {
	file := withMPF(t, le, buildJPEG(t, scene(20, 16)), []uint32{mpfThumbnail}, [][]byte{{}})
	for _, trailer := range []string{"", "film"} {
		img := decoded(t, append(slices.Clone(file), trailer...), ReadOptions{})
		if got := string(img.Meta.jpeg.trailer); got != trailer || img.Meta.jpeg.index != nil {
			t.Errorf("%q follows, not %q", got, trailer)
		}
	}
}

// fotoStation returns a record.
func fotoStation(kind uint16, data string) []byte {
	b := binary.BigEndian.AppendUint16([]byte(data), kind)
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)+fotoStationEnd))
	return binary.BigEndian.AppendUint32(b, fotoStationSignature)
}

// TestTrailersAreKept checks what follows the end of a JPEG without a list.
func TestTrailersAreKept(t *testing.T) {
	main, small, large := buildJPEG(t, scene(64, 48)), string(preview(t)), string(buildJPEG(t, scene(64, 48)))
	iptc := string(fotoStation(1, "\x1c\x02\x78\x00\x07Caption"))
	for trailer, want := range map[string]string{
		"":                     "",
		"\x00\x00\x00":         "",
		small:                  "",
		"\x00\xff" + small:     "\x00\xff",
		small + small + "film": "film",
		large:                  large,
		"film" + small:         "film" + small,
		iptc:                   iptc,
		small + iptc:           iptc,
		iptc + string(fotoStation(fotoStationPreview, small)) + string(fotoStation(2, "x")): iptc +
			string(fotoStation(2, "x")),
		string(fotoStation(fotoStationThumbnail, small)): "",
		small[:len(small)-2]:                             small[:len(small)-2], // has no end
	} {
		file := append(bytes.Clone(main), trailer...)
		out := encoded(t, decoded(t, file, ReadOptions{}), WriteOptions{})
		if got := string(scanJPEG(out).trailer); got != want {
			t.Errorf("%.20q became %.20q, want %.20q", trailer, got, want)
		}
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "a.jpg"), encoded(t,
		decoded(t, append(bytes.Clone(main), iptc...), ReadOptions{}), WriteOptions{}))
	if out := run(t, "exiftool", "-a", "-G", "-s", path); !strings.Contains(out,
		"Caption-Abstract                : Caption") {
		t.Error(out)
	}
}

// TestPreviewsAreRemoved puts a preview into each place where programs and cameras do.
func TestPreviewsAreRemoved(t *testing.T) {
	small := preview(t)
	xmp := strings.Replace(packet, "/></rdf:RDF>",
		`><xmp:Thumbnails xmlns:xmp="http://ns.adobe.com/xap/1.0/"><rdf:Alt><rdf:li rdf:parseType="Resource"><image>BASE64</image></rdf:li></rdf:Alt></xmp:Thumbnails></rdf:Description></rdf:RDF>`, 1)
	tags := withCanonNote(le, 100)
	note := tags[2].subs[0].find(tagMakerNote)
	note.data = slices.Concat(note.data, small, []byte("END"))
	note.count = uint64(len(note.data))
	block := tiffForm{order: le}.block(tags)
	long := bytes.Repeat([]byte("a"), 70_000)
	irb := slices.Concat(resource(1000, long), resource(resourceThumbnail, small), []byte("MeSa"),
		resource(resourceIPTC, []byte("\x1c\x02\x78\x00\x07Caption"))[4:])
	more := []byte(strings.Repeat("<!-- long -->", 6000) +
		`<rdf:RDF><xap:Thumbnails><a>BASE64</a></xap:Thumbnails><keep/></rdf:RDF>`)
	digest := fmt.Appendf(nil, "%X", md5.Sum(more))
	main := strings.Replace(xmp, "photoshop:Headline", `xmpNote:HasExtendedXMP="`+string(digest)+`" photoshop:Headline`,
		1)
	list := []segment{
		{markerAPP1, append([]byte(headExif), block...)}, {markerAPP1, []byte(headXMP + main)},
		{markerAPP3, small[:200]}, {markerAPP3 + 1, small[200:]}, {0xe7, []byte("another")},
		{markerAPP13, append([]byte(headPhotoshop), irb[:60_000]...)},
		{markerAPP13, append([]byte(headPhotoshop), irb[60_000:]...)},
	}
	file := withSegments(buildJPEG(t, scene(64, 48)), append(list, xmpSegments(more, digest)...)...)
	img := decoded(t, file, ReadOptions{})
	out := encoded(t, img, WriteOptions{})
	for _, s := range []string{"BASE64", string(small[len(small)/2:]), string(digest)} {
		if bytes.Contains(out, []byte(s)) {
			t.Errorf("%.20q is left", s)
		}
	}
	for _, s := range []string{"Canon EOS Test Camera", "END", "A title", "<keep/>", "another", "Caption"} {
		if !bytes.Contains(out, []byte(s)) {
			t.Errorf("%q is lost", s)
		}
	}
	h := scanJPEG(out)
	var joined, now []byte
	for _, s := range h.segments {
		if b, ok := bytes.CutPrefix(s.body, []byte(headXMPMore)); ok {
			now, joined = b[:xmpDigest], append(joined, b[xmpDigest+8:]...)
		}
	}
	if want := fmt.Appendf(nil, "%X", md5.Sum(joined)); !bytes.Equal(now, want) ||
		!bytes.Contains(out, append([]byte(`HasExtendedXMP="`), want...)) {
		t.Error("the digest of the long packet is wrong")
	}
	for _, f := range []Format{PNG, TIFF} {
		if out := encoded(t, img, WriteOptions{Format: f}); holding(out, small) ||
			bytes.Contains(out, []byte("BASE64")) {
			t.Errorf("as %v, a preview is left", f)
		}
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "a.jpg"), out)
	if report := run(t, "exiftool", "-s", "-Warning", "-Error", "-CanonImageType", path); !strings.Contains(report,
		"Canon EOS Test Camera") || strings.Contains(report, "Warning") {
		t.Error(report)
	}

	text := func(kind, name string, profile []byte) chunk {
		body := fmt.Appendf(nil, "%s%s\x00", keywordProfile, name)
		hex := fmt.Appendf(nil, "\n%s\n%8d\n%x\n", name, len(profile), profile)
		if kind == "zTXt" {
			hex = append([]byte{0}, deflate(hex)...)
		}
		return chunk{kind, append(body, hex...)}
	}
	rich := append([]byte(headExif), richExif(be)...)
	png := buildPNG(2, 1, 8, pngGray, 0, filterNone([]byte{7, 200}), text("zTXt", "exif", rich),
		text("tEXt", "APP1", rich), text("zTXt", "8bim", resources()), text("zTXt", "bad", resources()),
		chunk{"eXIf", richExif(le)}, chunk{"iTXt", xmpChunk([]byte(xmp))})
	got := readBack(t, decoded(t, png, ReadOptions{}), WriteOptions{}).Meta
	profiles := 0
	for _, c := range got.png.chunks {
		b := c.body
		if p := c.compressed(); p != nil {
			b, _ = inflateText(p, maxInflated)
		}
		if c.kind == "zTXt" && !bytes.Contains(c.body, []byte("bad")) {
			profiles++
			p, ok := parseProfile(string(b))
			if b = p; !ok {
				t.Error("a profile cannot be read")
			}
		}
		for _, s := range []string{"THUMBNAIL", "BASE64"} {
			if bytes.Contains(b, []byte(s)) {
				t.Errorf("%s: %s is left", c.kind, s)
			}
		}
	}
	if profiles != 3 {
		t.Errorf("%d profiles", profiles)
	}
}

// TestFaultF3Signatures checks that many signatures of pictures cause little work.
func TestFaultF3Signatures(t *testing.T) {
	block := bytes.Repeat([]byte(jpegSignature+"\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00"), 1<<18)
	if blankPictures(block) {
		t.Error("a picture was found")
	}
}
