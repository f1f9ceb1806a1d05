package imageio

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// tag is an entry of a directory. It has either a value in the byte order of the file or the directories that its value
// points to.
type tag struct {
	id, typ uint16
	count   uint64
	data    []byte
	subs    []directory
	place   int64 // offset that the value has to have in the new file; 0 means anywhere
}

// directory is a table of tags in memory, independent of any file.
type directory []tag

// Tags that point to directories although their type is LONG.
const (
	tagExif    = 34665
	tagGPS     = 34853
	tagInterop = 40965
)

func (e *entry) pointsToDirectories() bool {
	switch e.tag {
	case tagExif, tagGPS, tagInterop:
		return true
	}
	return e.typ == typeIFD || e.typ == typeIFD8
}

// Limits of directories inside directories.
const (
	maxSubs  = 16 // directories that one tag points to
	maxDepth = 4  // levels
)

// metadataSize is how much metadata the tags of directories declare, except for structural tags.
type metadataSize struct{ bytes, tags uint64 }

// metadataSize adds up what a directory declares, with the directories inside. It reads no values, and fails if a page
// has too much.
func (d *ifd) metadataSize() (metadataSize, error) {
	var n metadataSize
	return n, d.addMetadata(&n, 0)
}

func (d *ifd) addMetadata(n *metadataSize, depth int) error {
	for i := range d.entries {
		e := &d.entries[i]
		if structural[e.tag] {
			continue
		}
		_, size, err := d.extent(e)
		if err != nil {
			return err
		}
		n.bytes, n.tags = n.bytes+size, n.tags+1
		switch {
		case n.bytes > maxMetadata:
			return tooMuchMetadata()
		case n.tags > maxItems:
			return tooManyItems(TIFF)
		case !e.pointsToDirectories() || depth == maxDepth:
			continue
		}
		subs, err := d.subs(e)
		if err != nil {
			return err
		}
		for _, s := range subs {
			if err := s.addMetadata(n, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// subs opens the directories that a tag points to, without what lies outside the file.
func (d *ifd) subs(e *entry) ([]*ifd, error) {
	offsets, err := d.offsets(e)
	if err != nil {
		return nil, err
	}
	var subs []*ifd
	for _, at := range offsets {
		s, err := d.directory(at)
		if err != nil {
			return nil, err
		}
		s.dropOutside(func(uint16) bool { return false })
		d.dropped = append(d.dropped, s.dropped...)
		subs = append(subs, s)
	}
	return subs, nil
}

// offsets returns where the directories are that a tag points to.
func (d *ifd) offsets(e *entry) ([]uint64, error) {
	if e.count > maxSubs {
		return nil, failf(ErrLimit, "TIFF tag %d with %d directories, limit is %d", e.tag, e.count, maxSubs)
	}
	return (&ifd{tiffFile: d.tiffFile, entries: []entry{*e}}).uints(e.tag, maxSubs)
}

// tree reads the tags that keep accepts, with the directories inside. It skips unknown types, as TIFF 6.0 asks.
func (d *ifd) tree(keep func(uint16) bool, depth int) (directory, error) {
	var tags directory
	for i := range d.entries {
		e := &d.entries[i]
		if !keep(e.tag) || typeSizes[e.typ] == 0 {
			continue
		}
		if e.pointsToDirectories() {
			t, err := d.subTree(e, depth)
			if err != nil {
				return nil, err
			}
			tags = append(tags, t)
			continue
		}
		data, err := d.value(e, math.MaxUint64)
		if err != nil {
			return nil, err
		}
		t := tag{id: e.tag, typ: e.typ, count: e.count, data: slices.Clone(data)}
		if at, _, err := d.extent(e); err == nil && e.tag == tagMakerNote && (at <= freePlace || !selfContained(data)) {
			t.place = int64(at)
		}
		tags = append(tags, t)
	}
	return tags.sorted(), nil
}

func (d *ifd) subTree(e *entry, depth int) (tag, error) {
	t := tag{id: e.tag, typ: e.typ}
	if depth == maxDepth {
		return t, failf(ErrLimit, "TIFF directories in directories more than %d deep", maxDepth)
	}
	subs, err := d.subs(e)
	if err != nil {
		return t, err
	}
	for _, s := range subs {
		sub, err := s.tree(func(uint16) bool { return true }, depth+1)
		if err != nil {
			return t, err
		}
		t.subs = append(t.subs, sub)
	}
	return t, nil
}

// sorted sorts the tags by number, as TIFF requires. Of several tags with one number it keeps the first, except for
// descriptions: tifffile writes one of its own after that of the user.
func (d directory) sorted() directory {
	slices.SortStableFunc(d, func(a, b tag) int { return cmp.Compare(a.id, b.id) })
	return slices.CompactFunc(d, func(a, b tag) bool { return a.id == b.id && a.id != tagDescription })
}

func (d directory) find(id uint16) *tag {
	for i := range d {
		if d[i].id == id {
			return &d[i]
		}
	}
	return nil
}

// exif returns the Exif directory inside. Its tags may be changed.
func (d directory) exif() directory {
	if t := d.find(tagExif); t != nil && len(t.subs) > 0 {
		return t.subs[0]
	}
	return nil
}

// with returns the directory with more tags, which replace those of the same number.
func (d directory) with(more ...tag) directory {
	var ids []uint16
	for _, t := range more {
		ids = append(ids, t.id)
	}
	return directory(append(slices.Clone(more), d.without(ids...)...)).sorted()
}

func (d directory) without(ids ...uint16) directory {
	return slices.DeleteFunc(slices.Clone(d), func(t tag) bool { return slices.Contains(ids, t.id) })
}

// numbers returns a tag with integer values. A rational takes two of them.
func numbers(order binary.ByteOrder, id, typ uint16, v ...uint64) tag {
	t := tag{id: id, typ: typ, count: uint64(len(v))}
	a := order.(binary.AppendByteOrder)
	for _, x := range v {
		switch typ {
		case typeShort:
			t.data = a.AppendUint16(t.data, uint16(x))
		case typeLong, typeRational:
			t.data = a.AppendUint32(t.data, uint32(x))
		case typeLong8:
			t.data = a.AppendUint64(t.data, x)
		}
	}
	if typ == typeRational {
		t.count /= 2
	}
	return t
}
