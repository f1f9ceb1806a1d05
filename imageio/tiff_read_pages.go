package imageio

import (
	"strconv"
	"strings"
)

// maxPages bounds the chain of directories; a stack of 100,000 pages is as large as they are known.
const maxPages = 100_000

// tiffPages is what can be said of a file from its directories alone.
type tiffPages struct {
	file  *tiffFile
	at    []uint64 // offset of each page's directory
	stack int      // images that one directory describes, in the manner of ImageJ; 0 if it is a page like others

	width, height int64 // of the first page
}

func (t *tiffPages) count() int { return max(t.stack, len(t.at)) }

// scanTIFF walks all directories and refuses the file if any page cannot be read: it is too late for that
// once the first pages are written. Pages that share their pixels are refused too, since a small file could
// stand for any amount of work with them.
func scanTIFF(f *tiffFile, o ReadOptions) (*tiffPages, error) {
	t := &tiffPages{file: f}
	seen := map[uint64]bool{}
	var first *tiffLayout
	var head *ifd
	var total int64
	var side uint64
	for at := f.first; at != 0; {
		if seen[at] {
			return nil, damagedf(TIFF, "directories form a loop")
		}
		if len(t.at) == maxPages {
			return nil, failf(ErrLimit, "TIFF of more than %d pages", maxPages)
		}
		seen[at] = true
		dir, err := f.directory(at)
		if err != nil {
			return nil, err
		}
		l, err := readLayout(dir, o)
		if err != nil {
			return nil, t.onPage(len(t.at), dir.next != 0, err)
		}
		if total += l.total; total > f.size {
			return nil, damagedf(TIFF, "pixels outside the file")
		}
		if first == nil {
			first, head = l, dir
		}
		weight, err := dir.weigh(0)
		if err != nil {
			return nil, err
		}
		if side += weight; side > maxAllPages {
			return nil, failf(ErrLimit, "more than %d MiB of metadata", maxAllPages>>20)
		}
		t.at, at = append(t.at, at), dir.next
	}
	if len(t.at) == 0 {
		return nil, damagedf(TIFF, "no page")
	}
	t.width, t.height = first.width, first.height
	if len(t.at) == 1 {
		return t, t.findStack(head, first)
	}
	return t, nil
}

// onPage says which page an error is about, unless there is only one.
func (t *tiffPages) onPage(i int, several bool, err error) error {
	if r, ok := err.(*refusal); ok && (several || i > 0) {
		return failf(r.kind, "page %d: %s", i+1, r.text)
	}
	return err
}

// maxDescription is as far as a description is searched for ImageJ's numbers, which come first.
const maxDescription = 1 << 16

// findStack looks for a stack of ImageJ's: when a file is large, or when other programs write for ImageJ,
// its description tells the number of images, which lie one behind the other after the first, as they are.
func (t *tiffPages) findStack(dir *ifd, l *tiffLayout) error {
	e := dir.find(tagDescription)
	if e == nil || e.typ != typeASCII {
		return nil
	}
	text, err := dir.value(e, maxDescription)
	if err != nil {
		return err
	}
	n := imagesOf(string(text))
	if n <= 1 {
		return nil
	}
	pixels, contiguous := l.contiguous()
	if !contiguous { // a page that was taken out of a stack: no others can be behind it
		return nil
	}
	if room := (t.file.size - l.list[0].at) / pixels; int64(n) > room {
		return damagedf(TIFF, "an ImageJ stack of %d images, of which %d are in the file", n, room)
	}
	if n > maxPages {
		return failf(ErrLimit, "TIFF of more than %d pages", maxPages)
	}
	t.stack = n
	return nil
}

// contiguous gives the bytes of a picture that lies in one piece as it is.
func (l *tiffLayout) contiguous() (int64, bool) {
	if l.compression != compressionNone || l.tiled || l.planar && l.samples > 1 || l.bits < 8 {
		return 0, false
	}
	at := l.list[0].at
	for i, b := range l.list {
		if b.at != at {
			return 0, false
		}
		at += l.rowsOf(i) * l.rowBytes()
	}
	return l.height * l.rowBytes(), true
}

// imagesOf reads the number of images from a description of ImageJ's; 0 if it is none.
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

// layout takes in the directory of a page, and moves it along the stack.
func (t *tiffPages) layout(i int, o ReadOptions) (*ifd, *tiffLayout, error) {
	at := t.at[0]
	if t.stack == 0 {
		at = t.at[i]
	}
	dir, err := t.file.directory(at)
	if err != nil {
		return nil, nil, err
	}
	l, err := readLayout(dir, o)
	if err != nil {
		return nil, nil, err
	}
	if t.stack > 0 {
		for j := range l.list {
			l.list[j].at += int64(i) * l.height * l.rowBytes()
			l.list[j].size = l.rowsOf(j) * l.rowBytes()
		}
	}
	return dir, l, nil
}

// page decodes one page.
func (t *tiffPages) page(i int, o ReadOptions) (*Image, error) {
	dir, l, err := t.layout(i, o)
	if err != nil {
		return nil, err
	}
	meta, err := tiffMetadata(dir, l)
	if err != nil {
		return nil, err
	}
	if t.stack > 0 {
		meta.tiff.stack = t.stack
	}
	img, err := l.read(t.file, o.White)
	if err != nil {
		return nil, t.onPage(i, t.count() > 1, err)
	}
	img.Meta = meta
	return img, nil
}
