package imageio

import (
	"encoding/binary"
	"image"
	"path/filepath"
	"slices"
	"testing"
)

// subjectExif returns an Exif block with an orientation and the place of a subject, between other tags.
func subjectExif(order byteOrder, turn orientation, area, location []uint16) []byte {
	sub := directory{
		{id: 36864, typ: typeUndefined, count: 4, data: []byte("0232")},
		{id: tagSubjectArea, typ: typeShort, count: uint64(len(area)), data: putShorts(order, area)},
		{id: tagMakerNote, typ: typeUndefined, count: 8, data: []byte("MAKER\x00\x01\x02")},
		{id: tagSubjectLocation, typ: typeShort, count: uint64(len(location)), data: putShorts(order, location)},
		ascii(42036, "Lens"),
	}
	return tiffForm{order: order}.block(directory{
		numbers(order, tagOrientation, typeShort, uint64(turn)),
		{id: tagExif, typ: typeLong, subs: []directory{sub}},
	})
}

// subjects returns what Exif tells of the subject.
func subjects(t *testing.T, block []byte) (area, location []uint16) {
	t.Helper()
	tags, order := exifTags(block)
	sub := tags.find(tagExif).subs[0]
	if note, lens := sub.find(tagMakerNote), sub.find(42036); note == nil || string(note.data) != "MAKER\x00\x01\x02" ||
		lens == nil || string(lens.data) != "Lens\x00" {
		t.Errorf("other tags have changed: %v", sub)
	}
	if s := sub.find(tagSubjectArea); s != nil {
		area = shorts(order, s.data)
	}
	if s := sub.find(tagSubjectLocation); s != nil {
		location = shorts(order, s.data)
	}
	return area, location
}

// The subject stays where it is in the picture if that is turned upright or cropped, in all formats.
func TestSubjectMoves(t *testing.T) {
	const w, h, x, y = 9, 7, 5, 3
	for _, order := range []byteOrder{le, be} {
		for turn := orientation(1); turn <= 8; turn++ {
			marks := &Image{Width: w, Height: h, Planes: [][]float32{make([]float32, w*h)}}
			marks.Planes[0][y*w+x] = 1
			turn.apply(marks)
			at := slices.Index(marks.Planes[0], 1)
			px, py := uint16(at%marks.Width), uint16(at/marks.Width)
			size := []uint16{4, 2}
			if turn.transposed() {
				size = []uint16{2, 4}
			}
			block := subjectExif(order, turn, []uint16{x, y, 4, 2}, []uint16{x, y})
			for format, file := range filesWithExif(t, w, h, block, order, turn) {
				img := decoded(t, file, ReadOptions{})
				area, location := subjects(t, img.Meta.EXIF())
				if !slices.Equal(area, append([]uint16{px, py}, size...)) || !slices.Equal(location, []uint16{px, py}) {
					t.Errorf("%v, orientation %d: the subject is at %v and %v, not at %d,%d", format, turn, area,
						location, px, py)
				}
				meta, lost := img.Meta.Cropped(image.Rect(2, 1, int(px)+1, int(py)+1))
				if len(lost) > 0 {
					t.Errorf("%v: %v", format, lost)
				}
				area, location = subjects(t, meta.EXIF())
				if !slices.Equal(area, append([]uint16{px - 2, py - 1}, size...)) ||
					!slices.Equal(location, []uint16{px - 2, py - 1}) {
					t.Errorf("%v, orientation %d: in the part, the subject is at %v and %v", format, turn, area,
						location)
				}
				for _, outside := range []image.Rectangle{image.Rect(0, 0, int(px), 7),
					image.Rect(0, int(py)+1, 7, 7)} {
					meta, _ = img.Meta.Cropped(outside)
					if area, location = subjects(t, meta.EXIF()); area != nil || location != nil {
						t.Errorf("%v, orientation %d: the subject is at %v and %v although it is outside", format, turn,
							area, location)
					}
				}
				if area, _ = subjects(t, img.Meta.EXIF()); len(area) != 4 || area[0] != px {
					t.Errorf("%v: the whole has its subject at %v now", format, area)
				}
			}
		}
	}
}

// filesWithExif returns gray files with an Exif block.
func filesWithExif(t *testing.T, w, h int, block []byte, order binary.ByteOrder, turn orientation) map[Format][]byte {
	rows := slices.Collect(slices.Chunk(make([]byte, w*h), w))
	tags, _ := exifTags(block)
	img := &Image{Width: w, Height: h, Planes: [][]float32{make([]float32, w*h)}, Depth: Depth8, Format: TIFF}
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: order},
		tags: tags.with(numbers(order, tagOrientation, typeShort, uint64(turn)))}}
	return map[Format][]byte{
		JPEG: withExif(buildJPEG(t, scene(w, h)), block),
		PNG:  buildPNG(uint32(w), uint32(h), 8, pngGray, 0, filterNone(rows...), chunk{"eXIf", block}),
		TIFF: encoded(t, img, WriteOptions{}),
	}
}

// What cannot be the place of a subject stays as it is, and damaged blocks do no harm.
func TestOddSubjects(t *testing.T) {
	move := change{part: image.Rect(1, 1, 9, 9)}
	for _, area := range [][]uint16{{5}, {1, 2, 3, 4, 5}} {
		got, location := subjects(t, exifWithSubject(subjectExif(le, 1, area, []uint16{4, 4}), move))
		if !slices.Equal(got, area) || !slices.Equal(location, []uint16{3, 3}) {
			t.Errorf("%v has become %v, %v", area, got, location)
		}
	}
	block := subjectExif(be, 1, []uint16{0, 0, 3}, []uint16{0, 0})
	for i := range block {
		exifWithSubject(block[:i], move)
		for _, b := range []byte{0, 1, 0xff} {
			bad := slices.Clone(block)
			bad[i] = b
			exifWithSubject(bad, move)
		}
	}
}

// Another reader finds the tags of a part.
func TestSubjectOfAPart(t *testing.T) {
	for format, file := range filesWithExif(t, 9, 7, subjectExif(le, 1, []uint16{5, 4, 3}, []uint16{0, 0}), le, 1) {
		img := decoded(t, file, ReadOptions{})
		cut := part(img, 7, 6)
		cut.Meta, _ = img.Meta.Cropped(image.Rect(2, 1, 9, 7))
		path := writeFile(t, filepath.Join(t.TempDir(), "a"), encoded(t, cut, WriteOptions{}))
		got := run(t, "exiftool", "-s3", "-SubjectArea", "-SubjectLocation", "-LensModel", path)
		if want := "3 3 3\nLens\n"; got != want {
			t.Errorf("%v: exiftool tells %q, not %q", format, got, want)
		}
	}
}

// A place that a tag cannot hold is none.
func TestSubjectTooFar(t *testing.T) {
	c := change{turn: 2, was: image.Pt(70_000, 9)}
	for x, want := range map[uint16][]uint16{10: nil, 60_000: {9999, 5}} {
		if got := c.subject([]uint16{x, 5}); !slices.Equal(got, want) {
			t.Errorf("%d is at %v, want %v", x, got, want)
		}
	}
}
