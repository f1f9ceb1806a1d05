package imageio

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// canonNote returns a note as Canon writes it: a directory whose values are at offsets of the file, where the note
// itself is at place.
func canonNote(order byteOrder, place int64) []byte {
	return tiffForm{order: order}.put(directory{ascii(6, "Canon EOS Test Camera"), ascii(7, "Firmware Version 1.0.1"),
		ascii(9, "Somebody Somewhere")}, place, 0)
}

// withCanonNote returns the tags of a camera with such a note.
func withCanonNote(order byteOrder, place int64) directory {
	note := canonNote(order, place)
	return directory{
		ascii(271, "Canon"), ascii(272, "Canon EOS"),
		{id: tagExif, typ: typeLong, subs: []directory{{{id: tagMakerNote, typ: typeUndefined, count: uint64(len(note)),
			data: note, place: place}}}},
	}
}

// TestNoteKeepsItsPlace writes notes at the beginning, in the middle and at the end of files.
func TestNoteKeepsItsPlace(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, order := range []byteOrder{le, be} {
		for _, p := range []packing{{}, {compressionLZW, predictorHorizontal}} {
			for _, place := range []int64{8, 100, 5000, 150_002, 1_000_000} {
				img := noise(300, 200, 3, false, Depth16, 1)
				img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: order}, packing: p,
					tags: withCanonNote(order, place)}}
				name := fmt.Sprintf("%v, %+v, at %d", order, p, place)
				file := encoded(t, img, WriteOptions{})
				note := canonNote(order, place)
				if !bytes.Equal(file[place:][:len(note)], note) {
					t.Fatalf("%s: it is not there", name)
				}
				got := decoded(t, file, ReadOptions{})
				if !same(got, img) {
					t.Errorf("%s: other samples", name)
				}
				if again := encoded(t, got, WriteOptions{}); !bytes.Equal(again, file) {
					t.Errorf("%s: written again, the file is another", name)
				}
				paths = append(paths, writeFile(t, filepath.Join(dir, name+".tif"), file))
			}
		}
	}
	notesAreRead(t, paths)
	for _, path := range paths {
		run(t, "tiffinfo", "-D", path)
	}
	img := noise(30, 20, 1, false, Depth8, 1) // too small a picture for so far a place
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le}, tags: withCanonNote(le, 1<<30)}}
	if n := len(encoded(t, img, WriteOptions{})); n > 10_000 {
		t.Errorf("%d bytes for 600 pixels", n)
	}
	// Of several pages only the first has a place.
	page := noise(300, 200, 1, false, Depth8, 1)
	page.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le}, tags: withCanonNote(le, 70_000)}}
	file := encodedPages(t, []*Image{page, page, page})
	note := canonNote(le, 70_000)
	if list := pagesOf(t, file); len(list) != 3 || !same(list[2], page) ||
		!bytes.Equal(file[70_000:][:len(note)], note) || bytes.Count(file, note) != 3 {
		t.Error("a file of several pages is not right")
	} else if len(list[0].Meta.lost) > 0 || len(list[1].Meta.lost) != 1 {
		t.Errorf("lost: %v, %v", list[0].Meta.lost, list[1].Meta.lost)
	}
}

// TestNoteOfOtherKinds changes the format of files with notes.
func TestNoteOfOtherKinds(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, order := range []byteOrder{le, be} {
		for _, place := range []int64{8, 300, 20_000} {
			tags := withCanonNote(order, place)
			block := tiffForm{order: order}.block(tags)
			jpeg := decoded(t, withExif(buildJPEG(t, scene(240, 160)), block), ReadOptions{})
			img := noise(300, 200, 3, false, Depth8, 1)
			img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: order}, tags: tags}}
			for from, img := range map[Format]*Image{JPEG: jpeg, TIFF: img} {
				for to, ext := range map[Format]string{JPEG: ".jpg", TIFF: ".tif", PNG: ".png"} {
					name := fmt.Sprintf("%v to %v, %v, at %d", from, to, order, place)
					paths = append(paths, writeFile(t, filepath.Join(dir, name+ext),
						encoded(t, img, WriteOptions{Format: to})))
				}
			}
		}
	}
	notesAreRead(t, paths)
}

// notesAreRead checks that exiftool finds all values of the notes.
func notesAreRead(t *testing.T, paths []string) {
	t.Helper()
	out := run(t, "exiftool", append([]string{"-q", "-f", "-p",
		"$FileName: $CanonImageType, $CanonFirmwareVersion, $OwnerName, $Warning"}, paths...)...)
	for _, path := range paths {
		if want := filepath.Base(path) +
			": Canon EOS Test Camera, Firmware Version 1.0.1, Somebody Somewhere, -\n"; !strings.Contains(out, want) {
			t.Errorf("not %q in\n%s", want, out)
		}
	}
}

// TestSelfContainedNoteMoves checks that a note with offsets of its own takes no place.
func TestSelfContainedNoteMoves(t *testing.T) {
	note := append([]byte("Nikon\x00\x02\x10\x00\x00"), "II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	if !selfContained(note) || selfContained(canonNote(le, 8)) {
		t.Error("a note is taken for another")
	}
	for place, want := range map[int64]bool{5000: true, 100_000: false} {
		tags := withCanonNote(le, place)
		tags[2].subs[0][0] = tag{id: tagMakerNote, typ: typeUndefined, count: uint64(len(note)), data: note,
			place: place}
		img := noise(300, 200, 3, false, Depth8, 1)
		img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le}, tags: tags}}
		got := readBack(t, img, WriteOptions{}).Meta.tiff.tags
		if (got.placed() != nil) != want {
			t.Errorf("at %d: it has its place: %v", place, !want)
		}
	}
}

// TestThumbnailOverOtherValues checks that a thumbnail that lies over other values does not take them along, nor those
// of a directory inside.
func TestThumbnailOverOtherValues(t *testing.T) {
	block := richExif(le)
	f, d := exifDirectory(block)
	second, _ := f.directory(d.next)
	small := preview(t)
	long := slices.Concat(block, small, []byte("values of a note"))
	le.PutUint32(long[second.find(tagThumbnail).at+8:], uint32(len(block)))
	le.PutUint32(long[second.find(tagThumbnailBytes).at+8:], uint32(len(small)+16))
	if got := uprightExif(long, 1); !bytes.HasSuffix(got, []byte("values of a note")) || holding(got, small) {
		t.Error("what follows a thumbnail is lost")
	}
	inside := must.Get(d.subs(d.find(tagExif)))(t)[0]
	for what, value := range map[string]struct {
		d  *ifd
		id uint16
	}{"the resolution": {d, tagXResolution}, "the note": {inside, tagMakerNote}} {
		at, _, err := value.d.extent(value.d.find(value.id))
		must.Do(t, err)
		over := bytes.Clone(block)
		le.PutUint32(over[second.find(tagThumbnail).at+8:], uint32(at-20))
		le.PutUint32(over[second.find(tagThumbnailBytes).at+8:], 24)
		if got := uprightExif(over, 1); !bytes.Equal(got[at:at+8], block[at:at+8]) {
			t.Errorf("%s became %q", what, got[at:at+8])
		}
	}
}

// A note whose place no Exif block has gets another one.
func TestNoteOutsideOfABlock(t *testing.T) {
	for _, place := range []int64{4, 70_000} {
		block := tiffForm{order: le}.block(withCanonNote(le, place))
		tags, _ := exifTags(block)
		note := tags.find(tagExif).subs[0].find(tagMakerNote)
		if note == nil || !bytes.Equal(note.data, canonNote(le, place)) || len(block) > 1000 {
			t.Errorf("at %d: %v in %d bytes", place, note, len(block))
		}
	}
}
