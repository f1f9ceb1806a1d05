package imageio

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// withCopies gives an image the metadata of a page with smaller copies that follow it as pages.
func withCopies(img *Image, big, cloud bool, levels ...level) *Image {
	img.Meta = &Metadata{tiff: &tiffMeta{tiffForm: tiffForm{order: le, big: big},
		packing: packing{compression: compressionDeflate}, tile: [2]int{32, 16},
		levels: levels, below: true, cloud: cloud}}
	return img
}

// TestCopiesAreMadeAgain writes smaller copies as pages behind their page, and reads that they are no pages of their
// own.
func TestCopiesAreMadeAgain(t *testing.T) {
	levels := []level{{100, 60, [2]int{32, 16}}, {50, 30, [2]int{}}}
	for _, big := range []bool{false, true} {
		for _, cloud := range []bool{false, true} {
			img := withCopies(noise(200, 120, 3, false, Depth8, 1), big, cloud, levels...)
			file := encoded(t, img, WriteOptions{})
			r, err := NewReader(file, ReadOptions{})
			if err != nil || r.Pages() != 1 {
				t.Fatalf("%d pages, %v", r.Pages(), err)
			}
			got := must.Get(r.Page(0))(t)
			m := got.Meta.tiff
			if !same(got, img) || !slices.Equal(m.levels, levels) || !m.below || m.cloud != cloud || m.picked != 0 {
				t.Errorf("big %v, cloud %v: levels %v, below %v, cloud %v, picked %g", big, cloud, m.levels, m.below,
					m.cloud, m.picked)
			}
			checkOrder(t, file, cloud)
			if again := encoded(t, got, WriteOptions{}); !bytes.Equal(again, file) {
				t.Error("the same page gives other bytes")
			}
		}
	}
	two := withCopies(noise(200, 120, 1, false, Depth16, 1), false, true, levels...)
	pages := pagesOf(t, encodedPages(t, []*Image{two, two}))
	if len(pages) != 2 || !slices.Equal(pages[1].Meta.tiff.levels, levels) || pages[0].Meta.tiff.cloud {
		t.Errorf("%d pages", len(pages))
	}
}

// A page has a limit of smaller copies, since each is made again. Those beyond it are pages.
func TestCopiesOfAPageAreLimited(t *testing.T) {
	small := pixels(8, 8, blackIsZero, []uint32{8}, make([]byte, 64)).with(tagNewSubfileType, 1)
	list := []page{pixels(16, 16, blackIsZero, []uint32{8}, make([]byte, 256))}
	for range maxBelow {
		list = append(list, small)
	}
	for more := range 3 {
		if r := must.Get(NewReader(buildTIFF(le, list...), ReadOptions{}))(t); r.Pages() != 1+more {
			t.Errorf("%d copies: %d pages", maxBelow+more, r.Pages())
		}
		list = append(list, small)
	}
}

// checkOrder checks that directories come first, the largest picture before the others, and then pixels, the smallest
// first; and that each block stands between its size and its last bytes in a file for the cloud.
func checkOrder(t *testing.T, file []byte, cloud bool) {
	t.Helper()
	f := must.Get(openTIFF(bytes.NewReader(file), int64(len(file))))(t)
	var directories, pixels []uint64
	for at := f.first; at != 0; {
		dir := must.Get(f.directory(at))(t)
		l := must.Get(readLayout(dir, ReadOptions{}))(t)
		directories, pixels = append(directories, at), append(pixels, uint64(l.list[0].at))
		for _, b := range l.list {
			size, last := file[b.at-4:b.at], file[b.at+b.size-4:b.at+b.size]
			framed := int64(binary.LittleEndian.Uint32(size)) == b.size &&
				bytes.Equal(last, file[b.at+b.size:][:min(4, int64(len(file))-b.at-b.size)])
			if cloud && !framed {
				t.Errorf("a block at %d has no frame", b.at)
			}
		}
		at = dir.next
	}
	slices.Reverse(pixels)
	if len(directories) != 3 || !slices.IsSorted(directories) || !slices.IsSorted(pixels) ||
		pixels[0] < directories[2] {
		t.Errorf("directories at %v, pixels from the smallest at %v", directories, pixels)
	}
}

// Pages that are smaller but show something else, or are not marked, stay pages.
func TestWhatIsNoCopy(t *testing.T) {
	tags := map[uint16][]uint32{tagImageWidth: {8}, tagImageLength: {6}, tagBitsPerSample: {8},
		tagPhotometric: {blackIsZero}}
	large := page{tags: tags, strips: [][]byte{make([]byte, 48)}}
	small := large.with(tagImageWidth, 4).with(tagImageLength, 3).with(tagNewSubfileType, 1)
	small.strips = [][]byte{make([]byte, 12)}
	change := func(tag uint16, v uint32, bytes int) page {
		p := small.with(tag, v)
		p.strips = [][]byte{make([]byte, bytes)}
		return p
	}
	for name, c := range map[string]struct {
		second page
		pages  int
	}{
		"copy":             {small, 1},
		"not marked":       {change(tagNewSubfileType, 0, 12), 2},
		"a mask":           {change(tagNewSubfileType, 5, 12), 2},
		"another shape":    {change(tagImageLength, 6, 24), 2},
		"other depth":      {change(tagBitsPerSample, 16, 24), 2},
		"other colours":    {change(tagPhotometric, whiteIsZero, 12), 2},
		"of the same size": {large.with(tagNewSubfileType, 1), 2},
	} {
		if len(c.second.strips) == 0 {
			c.second.strips = large.strips
		}
		r, err := NewReader(buildTIFF(le, large, c.second), ReadOptions{})
		if err != nil || r.Pages() != c.pages {
			t.Errorf("%s: %d pages, %v", name, r.Pages(), err)
		}
	}
}

// Copies of maps of classes have samples of the map, as in the source. Samples that were not measured are in no mean.
func TestSamplesOfCopies(t *testing.T) {
	img := newImage(64, 64, 1, noAlpha, Depth8, TIFF)
	for i := range img.Planes[0] {
		img.Planes[0][i] = unit8(uint8(i * 37 % 11 * 20))
	}
	for _, share := range []float64{beginning, 0.5} {
		withCopies(img, false, false, level{32, 32, [2]int{}}, level{16, 16, [2]int{}})
		img.Meta.tiff.picked = share
		got := readBack(t, img, WriteOptions{})
		if got.Meta.tiff.picked != share {
			t.Errorf("picked at %g, not %g", got.Meta.tiff.picked, share)
		}
		small := img.pickedAt(16, 16, share)
		if !small.isPickedFrom(img, share) || small.Width != 16 {
			t.Errorf("share %g: samples are others", share)
		}
	}
	holes := &Image{Width: 4, Height: 2, Depth: Depth8, NoData: []float64{9, 8}}
	for _, rows := range [][]uint8{{9, 8, 10, 9, 8, 9, 20, 30}} {
		plane := make([]float32, 0, len(rows))
		for _, v := range rows {
			plane = append(plane, unit8(v))
		}
		holes.Planes = append(holes.Planes, plane)
	}
	got := holes.shrunk(2, 1).Planes[0]
	if got[0] != unit8(9) || got[1] != unit8(20) {
		t.Errorf("%v", got)
	}
}
