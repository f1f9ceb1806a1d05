package imageio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// Files of GDAL have smaller copies of a page (overviews) as pages that follow it. In a Cloud-Optimised GeoTIFF all
// directories come first, from the largest copy to the smallest, and then the pixels, from the smallest to the largest:
// a program that reads the beginning can show something. A text behind the header says so.

// cloudText begins the text behind the header. It says how many bytes follow.
const cloudText = "GDAL_STRUCTURAL_METADATA_SIZE="

// cloudPromises is what the text promises: the order, and that each strip or tile stands between its size and its last
// bytes once more, so that a program can tell that it has all of it.
const cloudPromises = "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n" +
	"BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n "

// frameBytes is how many bytes stand before and behind each strip or tile then.
const frameBytes = 4

// framed writes a strip or tile that begins at an offset between its size and its last bytes.
func (t *tiffWriter) framed(at int64, block []byte) error {
	if err := t.advance(at - frameBytes); err != nil {
		return err
	}
	if err := t.write(binary.LittleEndian.AppendUint32(nil, uint32(len(block)))); err != nil {
		return err
	}
	last := append(make([]byte, frameBytes), block[max(0, len(block)-frameBytes):]...)
	if err := t.write(block); err != nil {
		return err
	}
	return t.write(last[len(last)-frameBytes:])
}

// forCloud reports whether the header is followed by the text.
func (f *tiffFile) forCloud() bool {
	b, err := f.bytes(uint64(f.sized(8, 16)), uint64(len(cloudText)))
	return err == nil && string(b) == cloudText
}

// cloudHead returns the text behind the header.
func cloudHead() []byte {
	return fmt.Appendf(nil, "%s%06d bytes\n%s", cloudText, len(cloudPromises), cloudPromises)
}

// maxBelow limits the smaller copies of a page.
const maxBelow = 32

// isBelow reports whether a page is a smaller copy of the last one, and remembers its size then.
func (t *tiffPages) isBelow(dir *ifd, l *tiffLayout, at uint64) bool {
	const reduced = 1 // in the tag
	kind := tags{dir: dir}
	m := t.main
	if kind.uint(tagNewSubfileType, 0) != reduced || m == nil || len(t.skipped) > 0 || len(m.levels) > 0 ||
		l.turn != m.turn {
		return false
	}
	i := len(t.at) - 1
	if len(t.below[i]) == maxBelow || !l.isCopyOf(m) {
		return false
	}
	v := level{int(l.width), int(l.height), l.tile()}
	if l.turn.transposed() {
		v.width, v.height = v.height, v.width
	}
	if len(t.below[i]) == 0 {
		t.first[i] = at
	}
	t.below[i] = append(t.below[i], v)
	return true
}

// isCopyOf reports whether a page has samples of the kind of a larger page, and its shape.
func (l *tiffLayout) isCopyOf(m *tiffLayout) bool {
	alike := l.samples == m.samples && l.bits == m.bits && l.format == m.format && l.photometric == m.photometric &&
		slices.Equal(l.extra, m.extra)
	const most = 2 // pixels by which programs round differently
	off := max(l.width*m.height-l.height*m.width, l.height*m.width-l.width*m.height)
	return alike && l.width <= m.width && l.height <= m.height && l.width*l.height < m.width*m.height &&
		off <= most*max(m.width, m.height)
}

// pickedFrom tells where in the area that it covers a sample of the first smaller copy of page i was picked, as a share
// of its sides, or 0 if copies are means. Programs pick samples of maps of classes, whose means would be other classes.
func (t *tiffPages) pickedFrom(img *Image, i int, o ReadOptions) float64 {
	dir, err := t.file.directory(t.first[i])
	if err != nil {
		return 0
	}
	l, err := readLayout(dir, o)
	if err != nil {
		return 0
	}
	small, err := l.read(t.file, o)
	if err != nil || len(small.Planes) != len(img.Planes) {
		return 0
	}
	for _, share := range []float64{beginning, 0.5} {
		if small.isPickedFrom(img, share) {
			return share
		}
	}
	return 0
}

// beginning picks the first sample of an area.
const beginning = 1e-6

// isPickedFrom reports whether nearly all samples are those of a larger image.
func (m *Image) isPickedFrom(large *Image, share float64) bool {
	others, most := 0, m.Width*m.Height/100
	for y := range m.Height {
		row := pick(y, m.Height, large.Height, share) * large.Width
		for x := range m.Width {
			at := row + pick(x, m.Width, large.Width, share)
			for c, p := range m.Planes {
				if p[y*m.Width+x] != large.Planes[c][at] {
					others++
					break
				}
			}
			if others > most {
				return false
			}
		}
	}
	return true
}

// pick returns which of n samples stands for sample i of m.
func pick(i, m, n int, share float64) int {
	at := (float64(i) + share) * float64(n) / float64(m)
	if share == beginning { // rounded, as GDAL does where sizes are odd
		at += 0.5
	}
	return min(int(at), n-1)
}

// pickedAt returns the image at a smaller size, with samples of it.
func (m *Image) pickedAt(w, h int, share float64) *Image {
	return m.Mapped(w, h, func(_ int, p []float32) []float32 {
		s := make([]float32, 0, w*h)
		for y := range h {
			row := p[pick(y, h, m.Height, share)*m.Width:]
			for x := range w {
				s = append(s, row[pick(x, w, m.Width, share)])
			}
		}
		return s
	})
}

// copiedBelow are the tags that a smaller copy has of its page: what the samples mean.
var copiedBelow = []uint16{tagNoData}

// chain returns the directories of a page and of the smaller copies that follow it as pages, each with the link to the
// next, when the first begins at an offset. Next is that of the page behind them.
func (t *tiffWriter) chain(p *tiffPlan, at, next int64) []byte {
	plans := append([]*tiffPlan{p}, p.below()...)
	var out []byte
	for i, v := range plans {
		d := t.directoryOf(v, p)
		end := at + t.form.size(d)
		link := end
		if i == len(plans)-1 {
			link = next
		}
		out = append(out, t.form.put(d, at, link)...)
		at = end
	}
	return out
}

// chainSize returns the bytes of the directories.
func (t *tiffWriter) chainSize(p *tiffPlan) int64 {
	n := t.form.size(t.directory(p))
	for _, v := range p.below() {
		n += t.form.size(t.directoryOf(v, p))
	}
	return n
}

// directoryOf returns the tags of a page, or of a smaller copy of it that follows it as a page.
func (t *tiffWriter) directoryOf(v, p *tiffPlan) directory {
	if v == p {
		return t.directory(p)
	}
	d := t.structure(v).with(numbers(t.form.order, tagNewSubfileType, typeLong, 1))
	for _, kept := range t.kept(p.img) {
		if slices.Contains(copiedBelow, kept.id) {
			d = append(d, kept)
		}
	}
	return d.sorted()
}

// below returns the smaller copies that follow the page as pages.
func (p *tiffPlan) below() []*tiffPlan {
	if p.img.fromTIFF().below {
		return p.levels
	}
	return nil
}

// inOrder returns the plans whose pixels are written, in that order. Those of smaller copies that are pages come first,
// the smallest before others.
func (p *tiffPlan) inOrder() []*tiffPlan {
	plans := append([]*tiffPlan{p}, p.levels...)
	if len(p.below()) > 0 {
		slices.Reverse(plans)
	}
	return plans
}

// begins writes the header of a file whose first directory is at an offset, and the text for files that are read in the
// cloud.
func (t *tiffWriter) begins(at int64, head []byte) error {
	return t.write(slices.Concat(t.form.header(at), head, bytes.Repeat([]byte{0}, len(head)&1)))
}

// headOf returns what follows the header.
func (t *tiffWriter) headOf(img *Image) []byte {
	if img.fromTIFF().cloud && t.pages == 1 && t.note == nil {
		return cloudHead()
	}
	return nil
}
