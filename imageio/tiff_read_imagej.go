package imageio

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// findStack looks for a stack of ImageJ. ImageJ writes large files with one directory, and other programs imitate that;
// tifffile has a description of its own (see imagesOfTifffile), and MetaMorph a tag. The image description gives the
// number of images. Their pixels follow those of the first without gaps, uncompressed.
func (t *tiffPages) findStack(all *pageSums) error {
	dir, l := all.head, all.first
	n, sure, by := imagesOf(dir.description()), true, "an ImageJ"
	if n <= 1 {
		t.loose = true
		n, by = dir.imagesOfMetaMorph(), "a MetaMorph"
	}
	if n <= 1 {
		n, sure = dir.imagesOfTifffile(l)
		by = "a tifffile"
	}
	if n <= 1 {
		return nil
	}
	pixels, contiguous := l.contiguous()
	if !contiguous || !t.loose && l.planar { // one page that was taken out of a stack
		return nil
	}
	room := (t.file.size - l.list[0].at) / pixels
	if !sure && (int64(n) > room || len(l.levels) > 0) { // as well
		return nil
	}
	if int64(n) > room {
		return damagedf(TIFF, "%s stack of %d images, of which %d are in the file", by, n, room)
	}
	if n > maxPages {
		return failf(ErrLimit, "TIFF of more than %d pages", maxPages)
	}
	t.stack = n
	if t.loose { // each page is written with all of it
		return all.metadata.times(n).check(t.file.size)
	}
	return nil
}

// contiguous returns the bytes of an uncompressed picture whose strips follow each other without gaps. It returns false
// for other pictures.
func (l *tiffLayout) contiguous() (int64, bool) {
	if l.compression != compressionNone || l.tiled || l.bits < 8 {
		return 0, false
	}
	at := l.list[0].at
	for i, b := range l.list {
		if b.at != at {
			return 0, false
		}
		at += l.rowsOf(i) * l.rowBytes()
	}
	return at - l.list[0].at, true
}

// imagesOf returns the number of images in a description by ImageJ, or 0 for other descriptions.
func imagesOf(description string) int {
	if !strings.HasPrefix(description, "ImageJ=") {
		return 0
	}
	for _, line := range strings.Split(description, "\n") {
		if v, ok := strings.CutPrefix(line, "images="); ok {
			n, err := strconv.Atoi(strings.TrimRight(v, "\x00\r "))
			if err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}

// imagesOfMetaMorph returns the number of images of a stack by MetaMorph (STK), or 0 for other files. The count of a
// tag tells it.
func (d *ifd) imagesOfMetaMorph() int {
	e := d.find(tagUIC2)
	if e == nil || e.typ != typeRational || e.count > math.MaxInt32 {
		return 0
	}
	return int(e.count)
}

// imagesOfTifffile returns the number of images of a stack that tifffile may have written with a directory for the
// first one only, or 0 for other pages. It did so for sure if the description says that. Old versions did not say it.
func (d *ifd) imagesOfTifffile(l *tiffLayout) (n int, sure bool) {
	for i := range d.entries {
		e := &d.entries[i]
		if e.tag != tagDescription || e.typ != typeASCII {
			continue
		}
		text, _ := d.value(e, maxDescription) // as in description
		if n, sure := shapedImages(text, l.width*l.height*int64(l.samples)); n > 0 {
			return n, sure
		}
	}
	return 0, false
}

// shapedImages returns how many images of a number of samples a description by tifffile tells of, and whether it says
// that not all of them have a directory. It returns 0 for other descriptions.
func shapedImages(description []byte, samples int64) (n int, truncated bool) {
	var says struct {
		Shape     []int64 `json:"shape"`
		Truncated bool    `json:"truncated"`
	}
	if json.Unmarshal(bytes.TrimRight(description, "\x00"), &says) != nil || len(says.Shape) == 0 {
		return 0, false
	}
	all := int64(1)
	for _, n := range says.Shape {
		if n < 1 || all > math.MaxInt64/n {
			return 0, false
		}
		all *= n
	}
	if all%samples != 0 || all/samples > math.MaxInt32 {
		return 0, false
	}
	return int(all / samples), says.Truncated
}
