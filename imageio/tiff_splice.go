package imageio

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
)

// skippedPage is a page that ReadOptions.SkipUnsupported leaves out.
type skippedPage struct {
	number int    // counted from 0, among all pages
	at     uint64 // offset of its directory
	why    error
}

// skip notes a page that is not supported, if it is to be left out. Else it returns the error.
func (t *tiffPages) skip(at uint64, o ReadOptions, err error) error {
	if !o.SkipUnsupported || !errors.Is(err, ErrUnsupported) {
		return err
	}
	t.skipped = append(t.skipped, skippedPage{len(t.at) + len(t.skipped), at, err})
	return nil
}

// Skipped returns how many pages ReadOptions.SkipUnsupported has left out, and why the first of them.
func (r *Reader) Skipped() (pages int, why error) {
	if len(r.skipped) == 0 {
		return 0, nil
	}
	return len(r.skipped), r.skipped[0].why
}

// CopySkipped adds the pages that were left out to a TIFF file that was written from all other pages of r, as they are
// and in their places. The Reader must not be closed. The error is ErrUnsupported if they cannot be copied: the files
// differ in byte order or size of offsets, or a page points to places in its file that only its decoder knows. The file
// is then of no use.
func (r *Reader) CopySkipped(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := r.spliceInto(f, info.Size()); err != nil {
		return err
	}
	return disk.Flush(f)
}

// WithSkipped is CopySkipped for a file in memory. It returns the bytes with the added pages, and may change the given
// ones.
func (r *Reader) WithSkipped(data []byte) ([]byte, error) {
	m := &memoryFile{data}
	err := r.spliceInto(m, int64(len(data)))
	return m.data, err
}

func (r *Reader) spliceInto(out readerWriterAt, size int64) error {
	if r.closed || r.tiff == nil {
		return failf(ErrArgument, "reader is closed")
	}
	s := &splicer{in: r.tiff.file, out: out, at: even(size), budget: 2*r.tiff.file.size + 1<<16}
	return s.splice(size, r.skipped, len(r.tiff.at))
}

type readerWriterAt interface {
	io.ReaderAt
	io.WriterAt
}

// memoryFile is a file in memory that grows.
type memoryFile struct{ data []byte }

func (m *memoryFile) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(m.data).ReadAt(b, at)
}

func (m *memoryFile) WriteAt(b []byte, at int64) (int, error) {
	if more := at + int64(len(b)) - int64(len(m.data)); more > 0 {
		m.data = append(m.data, make([]byte, more)...)
	}
	return copy(m.data[at:], b), nil
}

// splicer copies pages from one file to the end of another.
type splicer struct {
	in     *tiffFile
	out    readerWriterAt
	at     int64 // the end of the output, even
	budget int64 // bytes that may still be read and written: pages that share their data could make a file of any size
}

// link is where a directory is, and where the offset of the next one is kept.
type link struct{ at, next int64 }

// splice copies pages and links all directories in their order.
func (s *splicer) splice(size int64, pages []skippedPage, written int) error {
	out, err := openTIFF(s.out, size)
	if err != nil {
		return err
	}
	if out.order != s.in.order || out.big != s.in.big {
		return unsupportedTIFF("a page that cannot be read, in a file whose form changes,")
	}
	chain, err := linksOf(out)
	if err != nil {
		return err
	}
	if len(chain) != written {
		return failf(ErrArgument, "a file of %d pages, not of %d", len(chain), written)
	}
	for _, p := range pages {
		l, err := s.directory(p.at, 0)
		if err != nil {
			return err
		}
		chain = append(chain[:p.number], append([]link{l}, chain[p.number:]...)...)
	}
	next := out.sized(4, 8)
	for _, l := range chain {
		if err := s.putOffset(next, l.at); err != nil {
			return err
		}
		next = l.next
	}
	return s.putOffset(next, 0)
}

// linksOf follows the directories of a file.
func linksOf(f *tiffFile) ([]link, error) {
	var all []link
	for at := f.first; at != 0; {
		if len(all) > maxPages {
			return nil, damagedf(TIFF, "directories form a loop")
		}
		d, err := f.directory(at)
		if err != nil {
			return nil, err
		}
		all = append(all, link{int64(at), d.nextAt})
		at = d.next
	}
	return all, nil
}

func (s *splicer) putOffset(where, v int64) error {
	_, err := s.out.WriteAt(tiffForm{s.in.order, s.in.big}.appendOffset(nil, v), where)
	return err
}

// maxNesting limits how deep directories lie in directories. Exif in a page is one level, its interoperability another.
const maxNesting = 4

// directory copies a directory and all that it points to.
func (s *splicer) directory(at uint64, depth int) (link, error) {
	d, err := s.in.directory(at)
	if err != nil {
		return link{}, err
	}
	const oldJPEG = 513 // an offset into the file, as some of its neighbours are
	if depth > maxNesting || depth == 0 && d.has(oldJPEG) {
		return link{}, unsupportedTIFF("a page with offsets that cannot be copied")
	}
	form := tiffForm{s.in.order, s.in.big}
	var table directory
	for i := range d.entries {
		t, err := s.entry(d, &d.entries[i], depth)
		if err != nil {
			return link{}, err
		}
		table = append(table, t)
	}
	b := form.put(table, s.at, 0)
	l := link{s.at, s.at + s.in.countSize() + int64(len(table))*s.in.entrySize()}
	return l, s.write(b)
}

// entry returns the tag of an entry, after it has copied the data or the directories that it points to.
func (s *splicer) entry(d *ifd, e *entry, depth int) (tag, error) {
	t := tag{id: e.tag, typ: e.typ, count: e.count}
	_, size, err := d.extent(e)
	if err != nil {
		return t, err
	}
	if typeSizes[e.typ] == 0 {
		return t, unsupportedTIFF("tag %d of unknown type", e.tag)
	}
	if err := s.take(int64(min(size, math.MaxInt64))); err != nil {
		return t, err
	}
	offsets := func(copied []int64) tag {
		t.typ, t.data = typeLong, nil
		if s.in.big {
			t.typ = typeLong8
		}
		for _, at := range copied {
			t.data = tiffForm{s.in.order, s.in.big}.appendOffset(t.data, at)
		}
		return t
	}
	switch {
	case e.tag == tagStripOffsets || e.tag == tagTileOffsets:
		copied, err := s.blocks(d, e.tag)
		return offsets(copied), err
	case e.tag == tagSubIFDs, e.tag == tagExif, e.tag == tagGPS, e.tag == tagInterop, e.typ == typeIFD,
		e.typ == typeIFD8:
		copied, err := s.directories(d, e.tag, depth)
		return offsets(copied), err
	}
	t.data, err = d.value(e, e.count)
	return t, err
}

// blocks copies the strips or tiles of a page and returns where they are.
func (s *splicer) blocks(d *ifd, offsets uint16) ([]int64, error) {
	counts := uint16(tagStripByteCounts)
	if offsets == tagTileOffsets {
		counts = tagTileByteCounts
	}
	at, err1 := d.uints(offsets, maxAllItems)
	n, err2 := d.uints(counts, maxAllItems)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if len(at) != len(n) || uint64(len(at)) != d.count(offsets) {
		return nil, unsupportedTIFF("strips without their sizes")
	}
	var copied []int64
	for i := range at {
		if !s.in.holds(at[i], n[i]) {
			return nil, damagedf(TIFF, "pixels outside the file")
		}
		size := int64(n[i])
		if err := s.take(size); err != nil {
			return nil, err
		}
		copied = append(copied, s.at)
		if _, err := io.Copy(io.NewOffsetWriter(s.out, s.at),
			io.NewSectionReader(s.in.r, int64(at[i]), size)); err != nil {
			return nil, err
		}
		if err := s.moveTo(s.at + size); err != nil {
			return nil, err
		}
	}
	return copied, nil
}

// directories copies the directories that a tag points to.
func (s *splicer) directories(d *ifd, id uint16, depth int) ([]int64, error) {
	at, err := d.uints(id, maxTags)
	if err != nil {
		return nil, err
	}
	if uint64(len(at)) != d.count(id) {
		return nil, failf(ErrLimit, "tag %d with %d directories", id, d.count(id))
	}
	var copied []int64
	for _, a := range at {
		l, err := s.directory(a, depth+1)
		if err != nil {
			return nil, err
		}
		copied = append(copied, l.at)
	}
	return copied, nil
}

// take counts bytes that are copied.
func (s *splicer) take(n int64) error {
	if s.budget -= n; n < 0 || s.budget < 0 {
		return unsupportedTIFF("pages that share their data")
	}
	return nil
}

func (s *splicer) write(b []byte) error {
	if err := s.take(int64(len(b))); err != nil {
		return err
	}
	if _, err := s.out.WriteAt(b, s.at); err != nil {
		return err
	}
	return s.moveTo(s.at + int64(len(b)))
}

// moveTo sets the end of the output.
func (s *splicer) moveTo(at int64) error {
	s.at = even(at)
	return tiffForm{s.in.order, s.in.big}.fits(s.at)
}
