package imageio

import (
	"bytes"
	"crypto/md5"
	"errors"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/losslessjpeg"
	"github.com/blorc-denoise/blorc-denoise/internal/mosaic/dngtest"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// drawnDNG returns a file with any samples of 300 x 280, so that there are several tiles.
func drawnDNG() dngtest.File {
	f := dngtest.File{Width: 300, Height: 280, Black: []uint32{512}, Noise: []float64{1e-3, 1e-6}}
	for i := range f.Width * f.Height {
		f.Samples = append(f.Samples, uint16(uint32(i)*2654435761>>18))
	}
	return f
}

// rawOf returns the samples of a file.
func rawOf(t testing.TB, data []byte) ([]uint16, *Image) {
	t.Helper()
	img := must.Get(Decode(data, ReadOptions{}))(t)
	var samples []uint16
	for _, v := range img.Planes[0] {
		samples = append(samples, uint16(v*65535+0.5))
	}
	return samples, img
}

func TestDNGSamples(t *testing.T) {
	for name, change := range map[string]func(f *dngtest.File){
		"plain":        func(*dngtest.File) {},
		"big endian":   func(f *dngtest.File) { f.Big = true },
		"packed":       func(f *dngtest.File) { f.Store = dngtest.Packed },
		"packed tiles": func(f *dngtest.File) { f.Store, f.Tile, f.Big = dngtest.Packed, 96, true },
		"packed 10": func(f *dngtest.File) {
			f.Store, f.Bits = dngtest.Packed, 10
			shorten(f.Samples, 4)
		},
		"packed 12": func(f *dngtest.File) {
			f.Store, f.Bits = dngtest.Packed, 12
			shorten(f.Samples, 2)
		},
		"lossless":      func(f *dngtest.File) { f.Store = dngtest.Lossless },
		"lossless tile": func(f *dngtest.File) { f.Store, f.Tile = dngtest.Lossless, 256 },
		"deflate":       func(f *dngtest.File) { f.Store = dngtest.Deflated },
		"first":         func(f *dngtest.File) { f.RawFirst = true },
		"active":        func(f *dngtest.File) { f.Active = []uint32{3, 5, 280, 298} },
		"black":         func(f *dngtest.File) { f.Black = []uint32{512, 513, 511, 510} },
	} {
		t.Run(name, func(t *testing.T) {
			f := drawnDNG()
			change(&f)
			data := f.Bytes()
			samples, img := rawOf(t, data)
			if !slices.Equal(samples, f.Samples) || img.Format != DNG {
				t.Fatal("other samples")
			}
			if out := encoded(t, img, WriteOptions{}); !bytes.Equal(out, data) {
				t.Error("an unchanged file is written otherwise")
			}
			for i, v := range f.Samples {
				f.Samples[i] = v ^ uint16(i)&7
				img.Planes[0][i] = float32(f.Samples[i]) / 65535
			}
			img.Mosaic.Reduced = 0.5
			checkWritten(t, f, data, encoded(t, img, WriteOptions{}))
		})
	}
}

// shorten takes the lowest bits away.
func shorten(samples []uint16, bits int) {
	for i := range samples {
		samples[i] >>= bits
	}
}

// A file without digests gets none.
func TestNoDigestOfRaw(t *testing.T) {
	f := drawnDNG()
	f.First = map[uint16]*dngtest.Tag{tagRawDigest: nil, tagOldRawDigest: nil, tagRawDataUniqueID: nil}
	_, img := rawOf(t, f.Bytes())
	img.Planes[0][0] = 0.5
	_, again := rawOf(t, encoded(t, img, WriteOptions{}))
	for _, tag := range []uint16{tagRawDigest, tagOldRawDigest, tagRawDataUniqueID} {
		if again.stored.dng.holder(tag) != nil {
			t.Errorf("the file has got tag %d", tag)
		}
	}
}

// checkWritten checks a file that was written with the samples of f in place of other ones.
func checkWritten(t *testing.T, f dngtest.File, before, after []byte) {
	t.Helper()
	samples, img := rawOf(t, after)
	if !slices.Equal(samples, f.Samples) {
		t.Fatal("other samples than those written")
	}
	was := must.Get(openDNG(bytes.NewReader(before), int64(len(before)), ReadOptions{}))(t)
	is := must.Get(openDNG(bytes.NewReader(after), int64(len(after)), ReadOptions{}))(t)
	for _, e := range was.raw.entries {
		changed := slices.Contains(storageTags, e.tag) || slices.Contains([]uint16{tagOldRawDigest, tagRawDigest,
			tagNoiseProfile, tagRawDataUniqueID}, e.tag)
		if other := is.raw.find(e.tag); !changed && (other == nil || !bytes.Equal(must.Get(was.raw.value(&e, 1e6))(t),
			must.Get(is.raw.value(other, 1e6))(t))) {
			t.Errorf("tag %d of the raw picture is another", e.tag)
		}
	}
	if bytes.Index(before, []byte(dngtest.Maker)) != bytes.Index(after, []byte(dngtest.Maker)) {
		t.Error("the note of the maker has moved")
	}
	if img.Mosaic.Reduced != 0.5 || img.Mosaic.Noise[0] != (MosaicNoise{0.25e-3, 0.25e-6}) {
		t.Errorf("noise %v, reduced %v", img.Mosaic.Noise, img.Mosaic.Reduced)
	}
	digest := must.Get(is.numbers(tagRawDigest, md5.Size))(t)
	for i, want := range is.digest(samples) {
		if digest[i] != float64(want) {
			t.Fatal("another digest")
		}
	}
	if is.holder(tagOldRawDigest) != nil {
		t.Error("the old digest is left")
	}
	if id := must.Get(is.numbers(tagRawDataUniqueID, 1))(t); id[0] == 's' {
		t.Error("the same identity")
	}
}

// The digest of two tiles, one of them narrower, computed here by hand.
func TestDigestOfRaw(t *testing.T) {
	d := &dngFile{layout: &tiffLayout{width: 257, height: 1, bits: 14}}
	samples := make([]uint16, 257)
	samples[0], samples[256] = 0x1234, 0x0102
	left := make([]byte, 512)
	left[0], left[1] = 0x34, 0x12
	a, b := md5.Sum(left), md5.Sum([]byte{2, 1})
	if got := d.digest(samples); got != md5.Sum(append(a[:], b[:]...)) {
		t.Errorf("%x", got)
	}
}

func TestLinearizationTable(t *testing.T) {
	f := drawnDNG()
	f.Bits = 8
	var table []uint16
	for i := range 200 {
		table = append(table, uint16(i*i))
	}
	f.White, f.Black, f.Raw = 199*199, []uint32{9}, map[uint16]*dngtest.Tag{tagLinearization: f.Shorts(table...)}
	for i := range f.Samples {
		f.Samples[i] &= 255
	}
	samples, img := rawOf(t, f.Bytes())
	for i, v := range samples {
		if v != table[min(f.Samples[i], 199)] {
			t.Fatalf("%d is for %d", v, f.Samples[i])
		}
	}
	img.Planes[0][5] = 0.5
	again, out := rawOf(t, encoded(t, img, WriteOptions{}))
	samples[5] = 32768
	if !slices.Equal(again, samples) || out.stored.dng.table != nil {
		t.Error("other samples without the table")
	}
}

func TestBlackLevels(t *testing.T) {
	f := drawnDNG()
	f.Active, f.Black = []uint32{3, 5, 280, 298}, []uint32{500, 510, 520, 530}
	delta := func(n int) *dngtest.Tag {
		var halves []float64
		for i := range n {
			halves = append(halves, float64(i)/2)
		}
		return f.Rationals(halves...)
	}
	f.Raw = map[uint16]*dngtest.Tag{tagMaskedAreas: f.Longs(0, 0, 280, 4, 0, 4, 4, 300)}
	_, img := rawOf(t, f.Bytes())
	if got := img.Mosaic.Masked; !slices.Equal(got, []image.Rectangle{image.Rect(0, 0, 4, 280)}) {
		t.Errorf("masked areas %v, of which one is outside of the border", got)
	}
	f.Raw[tagBlackDeltaH], f.Raw[tagBlackDeltaV] = delta(293), delta(277)
	_, img = rawOf(t, f.Bytes())
	for _, c := range []struct {
		x, y int
		want float64
	}{{0, 0, 500}, {1, 0, 510.5}, {0, 1, 520.5}, {3, 5, 534}} {
		if got := img.Mosaic.Black(c.x, c.y); got != c.want {
			t.Errorf("black at %d, %d is %v", c.x, c.y, got)
		}
	}
	if m := img.Mosaic; m.Range() != 16383-530-146-138 || m.Active.Min.X != 5 || m.Masked != nil ||
		m.Colours != [2][2]int{{0, 1}, {1, 2}} {
		t.Errorf("%+v", m)
	}
}

func TestDNGRefused(t *testing.T) {
	f := drawnDNG()
	for name, c := range map[string]struct {
		raw, first map[uint16]*dngtest.Tag
		kind       error
		words      string
	}{
		"X-Trans": {raw: map[uint16]*dngtest.Tag{tagCFARepeat: f.Shorts(6, 6)}, words: "X-Trans"},
		"quad":    {raw: map[uint16]*dngtest.Tag{tagCFARepeat: f.Shorts(4, 4)}, words: "larger parts"},
		"CYGM":    {raw: map[uint16]*dngtest.Tag{tagCFAPattern: f.Octets(3, 5, 1, 4)}, words: "other colours"},
		"linear": {raw: map[uint16]*dngtest.Tag{tagPhotometric: f.Shorts(rawLinear), tagSamplesPerPixel: f.Shorts(3)},
			words: "developed"},
		"lossy":       {raw: map[uint16]*dngtest.Tag{tagCompression: f.Shorts(34892)}, words: "lossy"},
		"JPEG XL":     {raw: map[uint16]*dngtest.Tag{tagCompression: f.Shorts(52546)}, words: "JPEG XL"},
		"floats":      {raw: map[uint16]*dngtest.Tag{tagSampleFormat: f.Shorts(3)}, words: "float"},
		"interleaved": {raw: map[uint16]*dngtest.Tag{tagRowInterleave: f.Shorts(2)}, words: "interleaved"},
		"no raw":      {raw: map[uint16]*dngtest.Tag{tagNewSubfileType: f.Longs(1)}, words: "no raw picture"},
		"two": {first: map[uint16]*dngtest.Tag{tagNewSubfileType: f.Longs(0), tagPhotometric: f.Shorts(rawSensor)},
			words: "two raw pictures"},
		"huge": {raw: map[uint16]*dngtest.Tag{tagImageWidth: f.Longs(200_000), tagImageLength: f.Longs(200_000)},
			kind: ErrPixels, words: "200000 x 200000"},
		"not deflate": {raw: map[uint16]*dngtest.Tag{tagCompression: f.Shorts(8)}, kind: ErrFormat, words: "zlib"},
		"not JPEG":    {raw: map[uint16]*dngtest.Tag{tagCompression: f.Shorts(7)}, kind: ErrFormat, words: "JPEG"},
		"active": {raw: map[uint16]*dngtest.Tag{tagActiveArea: f.Longs(0, 0, 281, 300)}, kind: ErrFormat,
			words: "active"},
		"white": {raw: map[uint16]*dngtest.Tag{tagWhiteLevel: f.Longs(512)}, kind: ErrFormat,
			words: "white level"},
		"staggered":   {raw: map[uint16]*dngtest.Tag{tagCFALayout: f.Shorts(2)}, words: "staggered"},
		"odd pattern": {raw: map[uint16]*dngtest.Tag{tagCFAPattern: f.Octets(0, 1, 1, 2, 2)}, words: "staggered"},
		"table": {raw: map[uint16]*dngtest.Tag{tagLinearization: f.Longs(1, 65536)}, kind: ErrFormat,
			words: "linearization table"},
		"a black level of nothing": {raw: map[uint16]*dngtest.Tag{tagBlackRepeat: f.Shorts(0, 1)}, kind: ErrFormat,
			words: "damaged DNG: black level"},
		"black level of a row": {raw: map[uint16]*dngtest.Tag{tagBlackRepeat: f.Shorts(65, 1)}, kind: ErrFormat,
			words: "damaged DNG: black level"},
		"too few black levels": {raw: map[uint16]*dngtest.Tag{tagBlackRepeat: f.Shorts(2, 2)}, kind: ErrFormat,
			words: "1 black levels of 4"},
		"a text for a number": {raw: map[uint16]*dngtest.Tag{tagWhiteLevel: {Type: typeASCII, Count: 4,
			Value: []byte("999\x00")}}, kind: ErrFormat, words: "tag 50717 has a wrong type"},
		"a short strip": {raw: map[uint16]*dngtest.Tag{tagRowsPerStrip: f.Longs(140), tagStripOffsets: f.Longs(8, 108),
			tagStripByteCounts: f.Longs(700, 167_900)}, kind: ErrFormat, words: "damaged DNG: unexpected EOF"},
		"strips in one place": {raw: map[uint16]*dngtest.Tag{tagRowsPerStrip: f.Longs(140),
			tagStripOffsets: f.Longs(8, 8), tagStripByteCounts: f.Longs(160_000, 160_000)}, kind: ErrFormat,
			words: "pixels outside the file"},
		"over tags": {raw: map[uint16]*dngtest.Tag{tagStripOffsets: f.Longs(uint32(len(f.Bytes()) - 2*len(f.Samples)))},
			kind: ErrFormat, words: "same place"},
	} {
		f := drawnDNG()
		f.Raw, f.First = c.raw, c.first
		if c.kind == nil {
			c.kind = ErrUnsupported
		}
		_, err := Decode(f.Bytes(), ReadOptions{})
		if err == nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A lossless JPEG of other sides than its tile is refused, unless it has the samples of all rows.
func TestSidesOfLosslessTiles(t *testing.T) {
	data := losslessjpeg.Encode(make([]uint16, 12), 4, 3, 4, 14)
	for _, c := range []struct {
		width, rows int
		good        bool
	}{{4, 3, true}, {4, 2, true}, {6, 2, true}, {12, 1, true}, {4, 4, false}, {6, 1, false}, {3, 3, false}} {
		if _, err := losslessBlock(data, c.width, c.rows); (err == nil) != c.good {
			t.Errorf("4 x 3 samples in a tile of %d x %d: %v", c.width, c.rows, err)
		}
	}
}

// A raw picture is no picture of another format, and other pictures are none of this.
func TestDNGIsWrittenFromDNG(t *testing.T) {
	_, raw := rawOf(t, drawnDNG().Bytes())
	for _, c := range []struct {
		img *Image
		to  Format
	}{{raw, PNG}, {raw, TIFF}, {raw, JPEG}, {noise(8, 8, 1, false, Depth16, 1), DNG}} {
		if err := Encode(&bytes.Buffer{}, c.img, WriteOptions{Format: c.to}); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%v as %v: %v", c.img.Format, c.to, err)
		}
	}
	if f, ok := InputFormatOf("a.DNG"); !ok || f != DNG {
		t.Error("names of DNG files are not known")
	}
}

// FuzzDNG checks that files are refused, or written with other samples such that these come back.
func FuzzDNG(f *testing.F) {
	for i := range 8 {
		d := dngtest.File{Width: 20, Height: 18, Samples: make([]uint16, 360), Store: dngtest.Store(i % 4), Big: i > 3,
			RawFirst: i%3 == 0, Tile: i % 2 * 16, Noise: []float64{1e-3, 1e-6}}
		f.Add(d.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.Clone(data)
		r, err := NewReader(data, ReadOptions{MaxPixels: 1 << 14})
		if err != nil || r.Info().Format != DNG {
			return
		}
		img, err := r.Page(0)
		if err != nil {
			return
		}
		for i := range img.Planes[0] {
			img.Planes[0][i] = float32(i%251) / 65535
		}
		darken := func(preview *Image) error {
			clear(preview.Planes[0])
			return nil
		}
		if err := img.Mosaic.EachPreview(darken); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := Encode(&out, img, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if img.Mosaic.Active.Empty() || img.Mosaic.Range() <= 0 {
			t.Error("no mosaic")
		}
	})
}

// Previews of both kinds take the place of the old ones, or the end of the file.
func TestPreviewsOfDNG(t *testing.T) {
	for _, size := range []int{40, 8} {
		picture := encoded(t, noise(size, size, 3, false, Depth8, 1), WriteOptions{Format: JPEG, Quality: 60})
		f := drawnDNG()
		f.Preview, f.PreviewSide = picture, uint32(size)
		_, img := rawOf(t, f.Bytes())
		var sides []int
		must.Do(t, img.Mosaic.EachPreview(func(p *Image) error {
			sides = append(sides, p.Width)
			for c := range p.Planes {
				for i := range p.Planes[c] {
					p.Planes[c][i] = float32(c+1) / 5
				}
			}
			return nil
		}))
		img.Planes[0][0] = 0.5
		_, again := rawOf(t, encoded(t, img, WriteOptions{}))
		subs := again.stored.dng.others
		if got := must.Get(subs[len(subs)-1].uints(tagYCbCrSampling, 2))(t); !slices.Equal(got, []uint64{1, 1}) {
			t.Errorf("chroma of the preview at 1/%d", got)
		}
		must.Do(t, again.Mosaic.EachPreview(func(p *Image) error {
			for c := range p.Planes {
				if v := p.Planes[c][30]; v < float32(c+1)/5-0.02 || v > float32(c+1)/5+0.02 {
					t.Errorf("a sample of a preview of %d is %v", p.Width, v)
				}
			}
			return nil
		}))
		if !slices.Equal(sides, []int{8, size}) {
			t.Errorf("previews of %d", sides)
		}
	}
}
