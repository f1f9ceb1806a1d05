package imageio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/disk"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// noKind returns a page whose compression (JPEG 2000) is not supported, with tags of each kind.
func noKind(data ...[]byte) page {
	p := pixels(4, uint32(4*max(1, len(data))), blackIsZero, []uint32{8}, nil)
	p.strips = data
	return p.with(tagCompression, 34712).with(tagRowsPerStrip, 4).with(40000, 1, 2, 3, 4, 5)
}

// splice writes the supported pages of a file again, and adds the others.
func splice(t *testing.T, data []byte, big bool) ([]byte, error) {
	t.Helper()
	r := must.Get(NewReader(data, ReadOptions{SkipUnsupported: true}))(t)
	defer r.Close()
	path := filepath.Join(t.TempDir(), "out.tif")
	err := WritePages(path, r.Pages(), WriteOptions{BeforeRename: func(f *os.File) error { return r.CopySkipped(f) }},
		func(i int) (*Image, error) {
			img, err := r.Page(i)
			if err == nil && big {
				img.Meta.tiff.big = true
			}
			return img, err
		})
	if err != nil {
		return nil, err
	}
	return must.Get(os.ReadFile(path))(t), nil
}

// Pages that cannot be read keep their bytes, their tags and their places between the others.
func TestSkippedPagesAreCopied(t *testing.T) {
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		good := func(v byte) page { return pixels(4, 4, blackIsZero, []uint32{8}, bytes.Repeat([]byte{v}, 16)) }
		one, two, three := bytes.Repeat([]byte("one"), 7), []byte("odd"), []byte("three ")
		for name, pages := range map[string][]page{
			"first":   {noKind(one, two), good(1), good(2)},
			"between": {good(1), noKind(one, two), noKind(three), good(2)},
			"last":    {good(1), good(2), noKind(three)},
		} {
			data := buildTIFF(order, pages...)
			if _, err := NewReader(data, ReadOptions{}); !errors.Is(err, ErrUnsupported) {
				t.Fatalf("%s: %v", name, err)
			}
			flushed := 0
			stop := disk.Intercept(func(step disk.Step, path string) error {
				if step == disk.ToSyncFile {
					flushed++
				}
				return nil
			})
			out, err := splice(t, data, false)
			if stop(); err != nil || flushed != 2 { // before and after the pages are added
				t.Fatalf("%s: flushed %d times, %v", name, flushed, err)
			}
			f := must.Get(openTIFF(bytes.NewReader(out), int64(len(out))))(t)
			chain, err := linksOf(f)
			if err != nil || len(chain) != len(pages) {
				t.Fatalf("%s: %d pages (%v)", name, len(chain), err)
			}
			for i, p := range pages {
				d := must.Get(f.directory(uint64(chain[i].at)))(t)
				c, err := d.uint(tagCompression, 1)
				if err != nil || c != p.tags[tagCompression][0] {
					t.Fatalf("%s, page %d: compression %d (%v)", name, i, c, err)
				}
				at, err1 := d.uints(tagStripOffsets, 9)
				n, err2 := d.uints(tagStripByteCounts, 9)
				if err := errors.Join(err1, err2); err != nil || len(at) != len(p.strips) {
					t.Fatalf("%s, page %d: %d strips (%v)", name, i, len(at), err)
				}
				for j, s := range p.strips {
					if got, err := f.bytes(at[j], n[j]); err != nil || !bytes.Equal(got, s) {
						t.Errorf("%s, page %d, strip %d: %q (%v)", name, i, j, got, err)
					}
				}
				if v, err := d.uints(40000, 9); err != nil || c != 1 && (len(v) != 5 || v[4] != 5) {
					t.Errorf("%s, page %d: tag %v (%v)", name, i, v, err)
				}
			}
		}
	}
}

// There are no skipped pages in a file of another kind, and none to be had after the end.
func TestNoSkippedPages(t *testing.T) {
	page := pixels(1, 1, blackIsZero, []uint32{8}, []byte{7})
	closed := must.Get(NewReader(buildTIFF(binary.LittleEndian, page), ReadOptions{}))(t)
	closed.Close()
	other := must.Get(NewReader(preview(t), ReadOptions{}))(t)
	defer other.Close()
	for _, r := range []*Reader{closed, other} {
		must.Fail(t, r, must.Err(r.WithSkipped(nil)), ErrArgument)
	}
}

// What cannot be copied, or would make a small file large, is refused.
func TestSkippedPagesAreRefused(t *testing.T) {
	const oddTag = 60001
	good := pixels(4, 4, blackIsZero, []uint32{8}, make([]byte, 16))
	shared := noKind()
	at, n := make([]uint32, 4000), make([]uint32, 4000)
	for i := range at {
		at[i], n[i] = 8, 64
	}
	shared = shared.with(tagStripOffsets, at...).with(tagStripByteCounts, n...)
	loop := uint32(0) // where the directory of the second page is
	if f, err := openTIFF(bytes.NewReader(buildTIFF(binary.LittleEndian, good, noKind([]byte("x")).with(tagExif, 8))),
		1<<10); err == nil {
		chain, err := linksOf(f)
		if err != nil || len(chain) != 2 {
			t.Fatal(chain, err)
		}
		loop = uint32(chain[1].at)
	}
	outside := noKind().with(tagStripOffsets, 8).with(tagStripByteCounts, math.MaxUint32)
	for want, p := range map[string]page{
		"a page with offsets that cannot be copied": noKind([]byte("x")).with(513, 8),
		"strips without their sizes":                noKind().with(tagStripOffsets, 8),
		"pages that share their data":               shared,
		"pixels outside the file":                   outside,
		"directory outside the file":                noKind([]byte("x")).with(tagSubIFDs, math.MaxUint32),
		"TIFF with a page with offsets that":        noKind([]byte("x")).with(tagExif, loop),
		"tag 330 with 4097 directories":             noKind([]byte("x")).with(tagSubIFDs, make([]uint32, maxTags+1)...),
		"tag 60001 of unknown type":                 noKind([]byte("x")).with(oddTag, 0),
		"a file whose form changes":                 noKind([]byte("x")),
	} {
		data := buildTIFF(binary.LittleEndian, good, p)
		if at := bytes.Index(data, le.AppendUint16(nil, oddTag)); at > 0 {
			data = changed(data, at+2, 99)
		}
		_, err := splice(t, data, want == "a file whose form changes")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	r := must.Get(NewReader(buildTIFF(le, good, noKind([]byte("x"))), ReadOptions{SkipUnsupported: true}))(t)
	must.Fail(t, "two pages, where one was written", must.Err(r.WithSkipped(buildTIFF(le, good, good))), ErrArgument)
	all := buildTIFF(binary.LittleEndian, noKind([]byte("x")), noKind([]byte("y")))
	must.Fail(t, "a file without any supported page",
		must.Err(NewReader(all, ReadOptions{SkipUnsupported: true})), ErrUnsupported)
}

// Whatever the bytes of a file are, its pages are copied or refused.
func FuzzSplice(f *testing.F) {
	good := pixels(4, 4, blackIsZero, []uint32{8}, make([]byte, 16))
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		f.Add(buildTIFF(order, good, noKind([]byte("one"), []byte("two")), good))
		f.Add(buildTIFF(order, noKind([]byte("one")).with(tagExif, 8).with(tagSubIFDs, 8, 16), good))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(data, ReadOptions{SkipUnsupported: true, MaxPixels: 1 << 16})
		if err != nil {
			return
		}
		defer r.Close()
		if n, _ := r.Skipped(); n == 0 || r.Pages() > 100 {
			return
		}
		path := filepath.Join(dir, "out.tif")
		err = WritePages(path, r.Pages(), WriteOptions{Overwrite: true,
			BeforeRename: func(f *os.File) error { return r.CopySkipped(f) }}, r.Page)
		if err != nil {
			return
		}
		info := must.Get(os.Stat(path))(t)
		if info.Size() > 1<<24+int64(len(data))*4+int64(r.Pages())<<20 {
			t.Errorf("%d bytes became %d", len(data), info.Size())
		}
	})
}
