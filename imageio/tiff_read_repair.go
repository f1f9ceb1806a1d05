package imageio

import (
	"errors"
	"fmt"
	"slices"
)

// This file reads what libtiff and tifffile read, too, although it is wrong: sizes of strips and tiles, tags outside
// the file, and the link to the next page.

// repairCounts corrects sizes of strips or tiles that cannot be right, where all of their pixels can be in the file:
// without compression their number tells the size, and else each ends where something else begins.
func (l *tiffLayout) repairCounts(dir *ifd, offsets, counts []uint64) {
	if l.fax() || l.compression == compressionJPEG || l.clumped() {
		return
	}
	var ends []uint64
	for i, at := range offsets {
		need := uint64(1)
		if l.compression == compressionNone {
			need = uint64(l.rowsOf(i) * l.rowBytes())
		}
		if at == 0 || at >= uint64(dir.size) || counts[i] >= need && dir.holds(at, counts[i]) {
			continue
		}
		if ends == nil {
			ends = dir.ends(offsets)
		}
		next, same := slices.BinarySearch(ends, at)
		if same {
			next++
		}
		room := ends[next] - at
		switch {
		case room < need:
			continue
		case l.compression == compressionNone:
			room = need
		}
		l.warn("the size of strip or tile %d in the file is wrong", i)
		counts[i] = room
	}
}

// ends returns where strips or tiles that begin at offsets may end, in order. The last one is the end of the file.
func (d *ifd) ends(offsets []uint64) []uint64 {
	ends := append(slices.Clone(offsets), uint64(d.size))
	if len(d.entries) > 0 {
		ends = append(ends, uint64(d.entries[0].at-d.countSize()))
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	last, _ := slices.BinarySearch(ends, uint64(d.size))
	return ends[:last+1]
}

// warn adds one of the first few warnings.
func (l *tiffLayout) warn(format string, args ...any) {
	const most = 4
	if len(l.warnings) < most {
		l.warnings = append(l.warnings, fmt.Sprintf(format, args...))
	}
}

// directory reads the directory of a page, without metadata that lies outside the file.
func (t *tiffPages) directory(at uint64) (*ifd, error) {
	d, err := t.file.directory(at)
	if err == nil {
		d.dropOutside(func(tag uint16) bool { return structural[tag] })
	}
	return d, err
}

// dropOutside leaves out tags that are not needed and lie outside the file.
func (d *ifd) dropOutside(needed func(tag uint16) bool) {
	d.entries = slices.DeleteFunc(d.entries, func(e entry) bool {
		if needed(e.tag) || !d.outside(&e) {
			return false
		}
		d.dropped = append(d.dropped, e.tag)
		return true
	})
}

// outside reports whether a value, or a directory that it points to, lies outside the file.
func (d *ifd) outside(e *entry) bool {
	if _, _, err := d.extent(e); err != nil || !e.pointsToDirectories() {
		return errors.Is(err, ErrFormat)
	}
	offsets, err := d.offsets(e)
	for _, at := range offsets {
		if err == nil {
			_, err = d.tags(at)
		}
	}
	return errors.Is(err, ErrFormat)
}

// warnings tells which tags were left out.
func (d *ifd) warnings() (list []string) {
	const most = 4
	tags := slices.Compact(slices.Sorted(slices.Values(d.dropped)))
	for _, tag := range tags[:min(len(tags), most)] {
		list = append(list, fmt.Sprintf("tag %d lies outside the file, and is left out", tag))
	}
	return list
}
