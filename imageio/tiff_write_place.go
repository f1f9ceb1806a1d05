package imageio

import (
	"bytes"
	"slices"
)

// A maker's note often holds offsets that count from the beginning of the file. Nobody but the maker knows which of its
// numbers those are, so the note is written to the offset that it had.

// selfContained reports whether a maker's note counts its offsets from its own beginning, so that it can be anywhere.
func selfContained(note []byte) bool {
	if head := "Nikon\x00\x02"; bytes.HasPrefix(note, []byte(head)) &&
		!holdsItsValues(note[min(len(note), len(head)+3):]) {
		return false
	}
	return slices.ContainsFunc([]string{"Nikon\x00\x02", "OLYMPUS\x00", "OM SYSTEM\x00", "FUJIFILM", "Apple iOS\x00",
		"PENTAX \x00", "GENERALE", "RICOH\x00II", "RICOH\x00MM"},
		func(head string) bool { return bytes.HasPrefix(note, []byte(head)) })
}

// holdsItsValues reports whether all values of the first directory of a TIFF structure are in it. In a note that
// another program has moved, some count from elsewhere.
func holdsItsValues(b []byte) bool {
	f, err := openTIFF(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return false
	}
	d, err := f.directory(f.first)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(d.entries, func(e entry) bool {
		_, _, err := d.extent(&e)
		return err != nil
	})
}

// placed returns the maker's note of a page if it has its place, or nil.
func (d directory) placed() *tag {
	if note := d.exif().find(tagMakerNote); note != nil && note.place > 0 {
		return note
	}
	return nil
}

// unplaced returns the directory without the place of the maker's note.
func (d directory) unplaced() directory {
	if d.placed() == nil {
		return d
	}
	d = slices.Clone(d)
	t := d.find(tagExif)
	t.subs = slices.Clone(t.subs)
	t.subs[0] = slices.Clone(t.subs[0])
	t.subs[0].find(tagMakerNote).place = 0
	return d
}

func (t *tag) end() int64 { return t.place + int64(len(t.data)) }

// free returns the first even offset from at on where n bytes do not touch the value. The value may be nil.
func (t *tag) free(at, n int64) int64 {
	if t == nil || at+n <= t.place || at >= t.end() {
		return at
	}
	return even(t.end())
}

// freePlace is the largest offset that costs so little that a note keeps it even if it need not.
const freePlace = 1 << 16

// maxGap limits the bytes that a file gets larger than twice its pixels to keep a note in its place.
const maxGap = 8 << 20

// maxBlock limits the Exif blocks in which a note has its place. Exif in JPEG is not larger.
const maxBlock = 60_000

// block returns an Exif block with the directory.
func (f tiffForm) block(d directory) []byte {
	note := d.placed()
	if note != nil && (note.end()+f.size(d) > maxBlock || note.place < f.headerSize()) {
		d, note = d.unplaced(), nil
	}
	at := note.free(f.headerSize(), f.size(d))
	b := f.header(at)
	fill := func(to int64) { b = append(b, make([]byte, to-int64(len(b)))...) }
	put := func() {
		fill(at)
		b = append(b, f.put(d, at, 0)...)
	}
	if note == nil || at < note.place {
		put()
	}
	if note != nil {
		fill(note.place)
		b = append(b, note.data...)
		if at > note.place {
			put()
		}
	}
	return b
}
