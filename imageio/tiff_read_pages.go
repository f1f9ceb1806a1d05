package imageio

import (
	"errors"
	"fmt"
	"io"
)

// maxPages limits the number of pages. The largest known stacks have about 100,000.
const maxPages = 100_000

// tiffPages is what the directories of a file say.
type tiffPages struct {
	file  *tiffFile
	at    []uint64        // offset of the directory of each page
	below map[int][]level // smaller copies of pages, which follow them as pages of their own
	first map[int]uint64  // offset of the directory of the first of those
	cloud bool            // the file begins as those of GDAL for the cloud
	// number of images of a stack of ImageJ or tifffile, which one directory describes; 0 for other files
	stack int
	loose bool // the images of the stack are written as pages
	run   int  // number of images of an ImageJ stack of one kind; 0 for other files

	main *tiffLayout     // of the last page
	one  *stackDirectory // of a stack, after its first image was read
	info Info

	series  []Series // as the description says; nil if it does not
	skipped []skippedPage
	lacks   string // why there are no pages after the last one although it has a link; "" = it has none
}

func (t *tiffPages) count() int { return max(t.stack, len(t.at)) }

// openPages reads the header and all directories of a file. It refuses the file if any page is not supported, because
// later the first pages may already have been written. It also refuses pages that share their pixels, because with them
// a small file could cause any amount of work.
func openPages(r io.ReaderAt, size int64, o ReadOptions) (*tiffPages, error) {
	f, err := openTIFF(r, size)
	if err != nil {
		return nil, err
	}
	t := &tiffPages{file: f, cloud: f.forCloud(), below: map[int][]level{}, first: map[int]uint64{}}
	var all pageSums
	n, err := t.readAll(&all, o)
	switch {
	case err != nil:
		return nil, err
	case len(t.at) == 0 && len(t.skipped) > 0:
		return nil, t.skipped[0].why
	case len(t.at) == 0:
		return nil, damagedf(TIFF, "no page")
	case n == 1:
		if err := t.findStack(&all); err != nil {
			return nil, err
		}
	}
	t.describe(&all)
	return t, nil
}

// readAll reads the directories, one after the other, and returns how many there are.
func (t *tiffPages) readAll(all *pageSums, o ReadOptions) (int, error) {
	seen := map[uint64]bool{}
	for at := t.file.first; at != 0; {
		if seen[at] && len(t.at) > 0 {
			t.lacks = "the last page has a link to an earlier one"
			break
		}
		if seen[at] {
			return 0, damagedf(TIFF, "directories form a loop")
		}
		if len(seen) == maxPages {
			return 0, failf(ErrLimit, "TIFF of more than %d pages", maxPages)
		}
		dir, err := t.directory(at)
		// Behind one page the link may be nonsense. Behind several the file is rather cut short.
		if errors.Is(err, ErrFormat) && len(t.at) > 0 && (o.KeepDamaged || len(seen) == 1) {
			t.lacks = fmt.Sprintf("pages after this one cannot be read: %v", err)
			break
		}
		seen[at] = true
		if err == nil {
			err = t.add(all, dir, at, len(seen)-1, o)
		}
		if err != nil {
			return 0, err
		}
		at = dir.next
	}
	return len(seen), nil
}

// add takes the directory with a number as a page, as a smaller copy of the last page, or as one to be left out.
func (t *tiffPages) add(all *pageSums, dir *ifd, at uint64, number int, o ReadOptions) error {
	l, err := readLayout(dir, o)
	if err != nil {
		if err = t.onPage(number, dir.next != 0, err); len(t.below) == 0 {
			err = t.skip(at, o, err)
		}
		return err
	}
	if err := all.add(dir, l); err != nil {
		return err
	}
	if !t.isBelow(dir, l, at) {
		t.main, t.at = l, append(t.at, at)
	}
	return nil
}

// describe fills in what follows from all pages.
func (t *tiffPages) describe(all *pageSums) {
	t.info = all.info
	t.info.Pages = t.count()
	description := all.head.description()
	if len(t.skipped) == 0 {
		t.series = seriesOf(description, t.info.Pages)
	}
	switch {
	case t.stack > 0 && !t.loose:
		t.run = t.stack
	case all.alike && imagesOf(description) == len(t.at):
		t.run = len(t.at)
	}
}

// pageSums is what is known of all pages of a file that are supported.
type pageSums struct {
	first    *tiffLayout
	head     *ifd // the directory of the first
	alike    bool // all are of one kind
	pixels   int64
	metadata metadataSize
	info     Info // of the first, with the most memory that a page takes
}

// add adds a page. It refuses pages that share their pixels, and too much metadata.
func (s *pageSums) add(dir *ifd, l *tiffLayout) error {
	if s.pixels += l.total; s.pixels > dir.size {
		return damagedf(TIFF, "pixels outside the file")
	}
	page := l.info()
	if s.first == nil {
		s.first, s.head, s.alike, s.info = l, dir, true, page
	}
	s.alike = s.alike && l.kind() == s.first.kind()
	s.info.Samples, s.info.Scratch = max(s.info.Samples, page.Samples), max(s.info.Scratch, page.Scratch)
	n, err := dir.metadataSize()
	if err != nil {
		return err
	}
	s.metadata.bytes, s.metadata.tags = s.metadata.bytes+n.bytes, s.metadata.tags+n.tags
	return s.metadata.check(dir.size)
}

// check refuses too much metadata of all pages of a file of that size.
func (n metadataSize) check(size int64) error {
	most := uint64(min(maxAllPages, size+maxShared))
	if n.bytes > most || n.tags > maxAllItems {
		return failf(ErrLimit, "more than %d MiB or %d tags of metadata", most>>20, maxAllItems)
	}
	return nil
}

// times returns the size of the metadata of n pages that have the same.
func (n metadataSize) times(pages int) metadataSize {
	n.bytes *= uint64(pages)
	n.tags *= uint64(pages)
	return n
}

// info describes one page.
func (l *tiffLayout) info() Info {
	i := Info{Format: TIFF, Width: int(l.width), Height: int(l.height), Channels: l.planes() + l.extraPlanes(),
		Depth: l.depth(), Pages: 1}
	if l.alpha >= 0 {
		i.Channels++
	}
	i.Samples = l.width * l.height * int64(i.Channels)
	if l.compression != compressionNone { // the page is compressed in memory when it is written
		i.Scratch = i.Samples * int64(i.Depth.bits()) / 8
	}
	if !i.Depth.exact() { // the samples are kept as they were
		i.Scratch += 8 * i.Samples
	}
	for _, v := range l.levels {
		i.Scratch += int64(v.width) * int64(v.height) * int64(i.Channels) * 8
	}
	return i
}

// onPage adds the number of the page to an error, unless there is only one page.
func (t *tiffPages) onPage(i int, several bool, err error) error {
	if r, ok := err.(*refusal); ok && (several || i > 0) {
		return failf(r.kind, "page %d: %s", i+1, r.text)
	}
	return err
}

// maxDescription limits the bytes of a description that are searched for ImageJ's numbers, which come first.
const maxDescription = 1 << 16

// description returns the beginning of the image description.
func (d *ifd) description() string {
	e := d.find(tagDescription)
	if e == nil || e.typ != typeASCII {
		return ""
	}
	text, _ := d.value(e, maxDescription) // its place was checked with the size of the metadata
	return string(text)
}

// stackDirectory is what all images of a stack share.
type stackDirectory struct {
	dir  *ifd
	meta *Metadata
}

// metadata returns the metadata of a page. That of a stack is read once: its directory may be large, and its images
// many.
func (t *tiffPages) metadata(dir *ifd, l *tiffLayout) (*Metadata, error) {
	if t.stack == 0 {
		return tiffMetadata(dir, l)
	}
	if t.one == nil {
		meta, err := tiffMetadata(dir, l)
		if err != nil {
			return nil, err
		}
		t.one = &stackDirectory{dir, meta}
	}
	meta, own := *t.one.meta, *t.one.meta.tiff
	meta.tiff = &own
	return &meta, nil
}

// layout reads the directory of page i. In an ImageJ stack it moves the layout of the first image to image i.
func (t *tiffPages) layout(i int, o ReadOptions) (*ifd, *tiffLayout, error) {
	at := t.at[0]
	if t.stack == 0 {
		at = t.at[i]
	}
	var dir *ifd
	if t.one != nil {
		dir = t.one.dir
	} else {
		var err error
		if dir, err = t.directory(at); err != nil {
			return nil, nil, err
		}
	}
	l, err := readLayout(dir, o)
	if err != nil {
		return nil, nil, err
	}
	if below := t.below[i]; t.stack == 0 && len(below) > 0 {
		l.levels, l.chained = below, true
	}
	if t.stack > 0 {
		pixels, _ := l.contiguous()
		for j := range l.list {
			l.list[j].at += int64(i) * pixels
			l.list[j].size = l.rowsOf(j) * l.rowBytes()
		}
	}
	return dir, l, nil
}

// page decodes page i.
func (t *tiffPages) page(i int, o ReadOptions) (*Image, error) {
	dir, l, err := t.layout(i, o)
	if err != nil {
		return nil, err
	}
	meta, err := t.metadata(dir, l)
	if err != nil {
		return nil, err
	}
	meta.tiff.stack, meta.tiff.chained = t.run, t.stack == 0
	meta.tiff.cloud = t.cloud && i == 0
	if meta.tiff.tags.placed() != nil && (i > 0 || t.run > 0) {
		meta.lost = append(meta.lost, "the maker's note moves to another place, so its offsets may be wrong")
	}
	if i == 0 && dir.imagesOfMetaMorph() > 0 {
		meta.lost = append(meta.lost,
			"MetaMorph's times and positions of the images are left out: the output is a usual TIFF file")
	}
	if l.photometric == ycbcr { // it is converted
		meta.tiff.tags = meta.tiff.tags.without(tagReferenceBW)
	}
	img, err := l.read(t.file, o)
	if err != nil {
		return nil, t.onPage(i, t.count() > 1, err)
	}
	img.Meta, img.NoData = meta, dir.noData()
	if l.chained {
		meta.tiff.picked = t.pickedFrom(img, i, o)
	}
	img.Warnings = append(img.Warnings, meta.lost...)
	img.Warnings = append(img.Warnings, dir.warnings()...)
	if t.lacks != "" && i == t.count()-1 {
		img.Warnings = append(img.Warnings, t.lacks)
	}
	// one of several stacks, or changed by another program
	if n, sure := dir.imagesOfTifffile(l); n > 1 && sure && t.stack == 0 {
		img.Warnings = append(img.Warnings,
			fmt.Sprintf("the description tells of a stack of %d images, and only the first can be found", n))
	}
	return img, nil
}
