package imageio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// allocated returns the bytes that f allocates, including those that are freed.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestFaultF3Bombs checks that small files that declare large pictures are refused by their headers in little memory.
func TestFaultF3Bombs(t *testing.T) {
	const side31 = math.MaxInt32
	type bomb struct {
		name string
		file []byte
		o    ReadOptions
		kind string
	}
	var bombs []bomb
	for _, s := range [][2]uint32{{side31, side31}, {65535, 65535}, {1, side31}, {side31, 1}, {10000, 10001},
		{math.MaxUint32, math.MaxUint32}} {
		w, h := s[0], s[1]
		name := fmt.Sprintf("%d x %d", w, h)
		one := pixels(w, h, blackIsZero, []uint32{8}, []byte{0})
		tiles := one.with(tagTileWidth, 256).with(tagTileLength, 256).with(tagCompression, compressionDeflate)
		tiles.tiles = true
		bombs = append(bombs,
			bomb{"PNG " + name, buildPNG(w, h, 8, pngRGBA, 0, nil), ReadOptions{}, "limit"},
			bomb{"TIFF " + name, buildTIFF(le, one), ReadOptions{}, "limit"},
			bomb{"tiled TIFF " + name, buildTIFF(be, tiles), ReadOptions{}, "limit"})
		if w <= 65535 && h <= 65535 {
			bombs = append(bombs, bomb{"JPEG " + name, jpegFrame(0xc0, 8, uint16(w), uint16(h), 3), ReadOptions{},
				"limit"},
				bomb{"progressive JPEG " + name, jpegFrame(0xc2, 8, uint16(w), uint16(h), 1), ReadOptions{}, "limit"})
		}
	}
	// Sizes within the limit, in files that are too small for them.
	all, small := ReadOptions{MaxPixels: math.MaxInt64}, "format"
	if math.MaxInt == math.MaxInt32 {
		small = "limit" // of what can be addressed
	}
	big := pixels(10000, 10000, rgb, []uint32{16, 16, 16}, make([]byte, 100))
	strips := pixels(10000, 10000, blackIsZero, []uint32{8}, make([]byte, 100)).with(tagRowsPerStrip, 1)
	overlap := pixels(100, 1000, blackIsZero, []uint32{8}, nil).with(tagRowsPerStrip, 1).with(tagCompression,
		compressionPackBits)
	overlap.strips = nil
	offsets, counts := make([]uint32, 1000), make([]uint32, 1000)
	for i := range counts {
		offsets[i], counts[i] = 8, 4000
	}
	overlap = overlap.with(tagStripOffsets, offsets...).with(tagStripByteCounts, counts...)
	bombs = append(bombs,
		bomb{"PNG too small", buildPNG(10000, 10000, 8, pngRGBA, 0, nil), ReadOptions{}, "format"},
		bomb{"interlaced PNG too small", buildPNG(10000, 10000, 16, pngRGB, 1, nil), ReadOptions{}, "format"},
		bomb{"PNG too small, no limit", buildPNG(side31, side31, 8, pngGray, 0, nil), all, "limit"},
		bomb{"PNG too small, one row", buildPNG(side31, 1, 8, pngGray, 0, nil), all, small},
		bomb{"JPEG too small", append(jpegFrame(0xc0, 8, 10000, 10000, 3), make([]byte, 1000)...), ReadOptions{},
			"format"},
		bomb{"JPEG too small, no limit", jpegFrame(0xc0, 8, 65535, 65535, 3), all, small},
		bomb{"TIFF too small", buildTIFF(le, big), ReadOptions{}, "format"},
		bomb{"TIFF too small, deflate", buildTIFF(le, big.with(tagCompression, compressionDeflate)), ReadOptions{},
			"format"},
		bomb{"TIFF too small, LZW", buildTIFF(le, big.with(tagCompression, compressionLZW)), ReadOptions{}, "format"},
		bomb{"TIFF with 1 strip of 10000", buildTIFF(le, strips), ReadOptions{}, "format"},
		bomb{"TIFF with strips on each other", buildTIFF(le, overlap), ReadOptions{}, "format"},
		bomb{"BigTIFF of endless tags", append([]byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00"),
			bytes.Repeat([]byte{0xff}, 64)...), ReadOptions{}, "limit"},
		bomb{"TIFF of many tags", append([]byte("II*\x00\x08\x00\x00\x00\xff\xff"), make([]byte, 100)...),
			ReadOptions{}, "limit"},
		bomb{"ImageJ stack of 2^31 images", bytes.Replace(stackOfImageJ(5), []byte("images=5\nslices=5"),
			[]byte("images=2147483647"), 1), ReadOptions{}, "format"},
		bomb{"CMYK JPEG too small", append(jpegFrame(0xc0, 8, 10000, 10000, 4), make([]byte, 1000)...), ReadOptions{},
			"format"},
		bomb{"TIFF with wide tiles", buildTIFF(le, pixels(1000, 1, blackIsZero, []uint32{8},
			[]byte{0}).with(tagTileWidth, 1000).with(tagTileLength, 1<<30)), ReadOptions{}, "limit"},
	)
	many := make([]uint32, 512)
	for i := range many {
		many[i] = 32
	}
	wide := pixels(1, 1, blackIsZero, many, make([]byte, 4*len(many))).with(tagTileWidth, 1<<16).with(tagTileLength, 16)
	wide.tiles = true
	packed := wide.with(tagCompression, compressionZstd)
	packed.strips = [][]byte{{0}}
	bombs = append(bombs,
		bomb{"TIFF with long rows of tiles", buildTIFF(le, wide), ReadOptions{}, "format"},
		bomb{"TIFF with long rows of tiles, Zstandard", buildTIFF(le, packed), ReadOptions{}, "format"})
	for _, b := range bombs {
		if len(b.file) > 1<<14 {
			t.Errorf("%s: the bomb has %d bytes", b.name, len(b.file))
		}
		var err error
		n := allocated(func() { _, err = Decode(b.file, b.o) })
		if err == nil || kindName(err) != b.kind {
			t.Errorf("%s: %v, want kind %s", b.name, err, b.kind)
		}
		if n > 1<<20 {
			t.Errorf("%s: allocates %d bytes for a file of %d", b.name, n, len(b.file))
		}
	}
}

// TestFaultF3Window checks that xz data do not decide alone how much memory their decoder takes.
func TestFaultF3Window(t *testing.T) {
	const largest = 40 // a window of 4 GiB
	head := "\xfd7zXZ\x00" + "\x00\x00" + "\x00\x00\x00\x00" + "\x02\x00\x21\x01" + string(rune(largest)) +
		"\x00\x00\x00" + "\x00\x00\x00\x00"
	n := allocated(func() {
		if _, err := openXZ(bufio.NewReader(strings.NewReader(head)), 1<<30); err != nil {
			t.Error(err)
		}
	})
	if n > maxWindow+1<<20 {
		t.Errorf("allocates %d bytes", n)
	}
}

// TestFaultF3DeclaredCounts checks that a tag that declares 2^32-1 values is refused, because the file is smaller.
func TestFaultF3DeclaredCounts(t *testing.T) {
	for _, tag := range []uint16{tagBitsPerSample, tagStripOffsets, tagStripByteCounts, tagExtraSamples,
		tagSampleFormat} {
		file := buildTIFF(le, pixels(4, 1, rgb, []uint32{8, 8, 8, 8}, make([]byte, 16)).
			with(tagExtraSamples, 2).with(tagSampleFormat, 1, 1, 1, 1))
		f := must.Get(openTIFF(bytes.NewReader(file), int64(len(file))))(t)
		dir := must.Get(f.directory(f.first))(t)
		le.PutUint32(file[dir.find(tag).at+4:], math.MaxUint32)
		var err error
		n := allocated(func() { _, err = Decode(file, ReadOptions{}) })
		if kindName(err) != "format" || n > 1<<20 {
			t.Errorf("tag %d: %v after %d bytes", tag, err, n)
		}
	}
}

func TestLimitIsExact(t *testing.T) {
	file := encoded(t, noise(10, 7, 1, false, Depth8, 1), WriteOptions{Format: PNG})
	if _, err := Decode(file, ReadOptions{MaxPixels: 70}); err != nil {
		t.Errorf("70 pixels under a limit of 70: %v", err)
	}
	many := noise(10, 7, 1, false, Depth8, 1)
	for range 5 {
		many.Extra = append(many.Extra, many.Planes[0])
	}
	if _, err := Decode(encoded(t, many, WriteOptions{Format: TIFF}),
		ReadOptions{MaxPixels: math.MaxInt64}); err != nil {
		t.Errorf("6 samples without a limit: %v", err)
	}
	is(t, "many samples", encoded(t, many, WriteOptions{Format: TIFF}), ReadOptions{MaxPixels: 70},
		"limit: 10 x 7 pixels of 6 samples, limit is 280 samples")
	must.Fail(t, "the error of too many pixels is of another kind",
		must.Err(Decode(file, ReadOptions{MaxPixels: 69})), ErrPixels)
	is(t, "a pixel too many", file, ReadOptions{MaxPixels: 69}, "limit: 10 x 7 pixels, limit is 69")
	is(t, "the default", jpegFrame(0xc0, 8, 65535, 65535, 3), ReadOptions{},
		"limit: 65535 x 65535 pixels, limit is 100000000")
}

// TestLimitOfTIFF checks that the pixels of the picture count, and not those that fill the last strips and tiles,
// unless tiles are huge.
func TestLimitOfTIFF(t *testing.T) {
	const side = 100
	gray := pixels(side, side, blackIsZero, []uint32{8}, nil)
	strips := gray.with(tagRowsPerStrip, 64)
	strips.strips = [][]byte{make([]byte, 64*side), make([]byte, (side-64)*side)}
	tiled := func(p page, width, height int) page {
		p.tiles, p.strips = true, nil
		across, down := (side+width-1)/width, (side+height-1)/height
		for range across * down {
			p.strips = append(p.strips, make([]byte, width*height))
		}
		return p.with(tagTileWidth, uint32(width)).with(tagTileLength, uint32(height))
	}
	for _, c := range []struct {
		name  string
		page  page
		limit int64
		want  string
	}{
		{"strips", strips, side * side, ""},
		{"strips", strips, side*side - 1, "limit: 100 x 100 pixels, limit is 9999"},
		{"tiles", tiled(gray, 64, 64), side * side, ""},
		{"tiles", tiled(gray, 64, 64), side*side - 1, "limit: 100 x 100 pixels, limit is 9999"},
		{"one tile", tiled(gray, 256, 256), side * side, ""},
		{"a high tile", tiled(gray, 112, 1<<14), side * side, "limit: tiles of 112 x 16384 pixels, limit is 1048576"},
		{"a wide tile", tiled(gray, 1<<14, 112), side * side, "limit: tiles of 16384 x 112 pixels, limit is 1048576"},
		{"many tiles", tiled(gray, 1<<16, 16), side * side,
			"limit: tiles of 65536 x 112 pixels together, limit is 4194304"},
	} {
		got := ""
		if _, err := Decode(buildTIFF(le, c.page), ReadOptions{MaxPixels: c.limit}); err != nil {
			got = kindName(err) + ": " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s, limit of %d: got %q, want %q", c.name, c.limit, got, c.want)
		}
	}
}

// TestFaultF3LetsBlankImagesThrough checks that the limits of expansion accept blank images, which compress best.
func TestFaultF3LetsBlankImagesThrough(t *testing.T) {
	const side = 2000
	for _, planes := range []int{1, 3} {
		img := newImage(side, side, planes, noAlpha, Depth8, PNG)
		for _, f := range []Format{PNG, JPEG} {
			if _, err := Decode(encoded(t, img, WriteOptions{Format: f}), ReadOptions{}); err != nil {
				t.Errorf("blank %v of %d planes: %v", f, planes, err)
			}
		}
	}
	dark := bytes.Repeat([]byte{255, 0}, 4) // four bytes of each of 129 pixels
	log := pixels(129, 1000, logLuv, []uint32{16, 16, 16}, bytes.Repeat(dark, 1000)).with(tagCompression,
		compressionLog)
	if _, err := Decode(buildTIFF(le, log), ReadOptions{}); err != nil {
		t.Errorf("blank LogLuv: %v", err)
	}
	zeros := make([]byte, side*side)
	for compression, data := range map[uint32][]byte{compressionDeflate: deflate(zeros),
		compressionPackBits: bytes.Repeat([]byte{0x81, 0}, side*side/128)} {
		p := pixels(side, side, blackIsZero, []uint32{8}, data).with(tagCompression, compression)
		if _, err := Decode(buildTIFF(le, p), ReadOptions{}); err != nil {
			t.Errorf("blank TIFF with compression %d: %v", compression, err)
		}
	}
}

// TestFaultF3ManyItems checks that the number of chunks, segments and tags is limited, and with it the memory that
// small items take.
func TestFaultF3ManyItems(t *testing.T) {
	files := func(n int) map[string][]byte {
		gray := filterNone([]byte{7, 200})
		page := pixels(2, 1, blackIsZero, []uint32{8}, []byte{7, 200})
		return map[string][]byte{
			"PNG with more than 10000 chunks of metadata": buildPNG(2, 1, 8, pngGray, 0, gray,
				many(chunk{"tEXt", []byte("a\x00b")}, n)...),
			"JPEG with more than 10000 segments of metadata": withSegments(buildJPEG(t, scene(8, 8)),
				many(segment{markerCOM, []byte("a")}, n)...),
			"TIFF with more than 10000 tags of metadata": withDirectories(buildTIFF(le, page.with(tagExif, 0)), 10,
				n/10),
		}
	}
	for _, n := range []int{9_900, 11_000, 40_000} {
		for want, file := range files(n) {
			var err error
			bytes := allocated(func() { _, err = Decode(file, ReadOptions{}) })
			switch {
			case n < maxItems && err != nil:
				t.Errorf("%d items: %v", n, err)
			case n > maxItems && (kindName(err) != "limit" || err.Error() != want):
				t.Errorf("%d items: %v, want %s", n, err, want)
			case n > maxItems && bytes > 8<<20:
				t.Errorf("%d items: %s allocates %d bytes", n, want, bytes)
			}
		}
	}
	short := withSegments(buildJPEG(t, scene(8, 8)), many(segment{markerCOM, []byte("a")}, 400_000)...)
	if n := allocated(func() { Decode(short, ReadOptions{}) }); n > 8<<20 {
		t.Errorf("400000 segments allocate %d bytes", n)
	}
	large := withSegments(buildJPEG(t, scene(8, 8)), many(segment{0xe5, make([]byte, maxSegment)}, 1100)...)
	is(t, "segments", large, ReadOptions{}, "limit: more than 64 MiB of metadata")
	large = buildPNG(2, 1, 8, pngGray, 0, filterNone([]byte{7, 200}),
		many(chunk{"tEXt", append([]byte("a\x00"), make([]byte, 1<<20)...)}, 65)...)
	is(t, "chunks", large, ReadOptions{}, "limit: more than 64 MiB of metadata")
}

// withDirectories appends count directories of n tags each to a little-endian TIFF file, and lets its tag Exif point to
// them.
func withDirectories(file []byte, count, n int) []byte {
	f, _ := openTIFF(bytes.NewReader(file), int64(len(file)))
	d, _ := f.directory(f.first)
	at := d.find(tagExif).at
	var table []byte
	for range count {
		table = le.AppendUint32(table, uint32(len(file)))
		file = le.AppendUint16(file, uint16(n))
		for i := range n {
			file = le.AppendUint16(le.AppendUint16(file, uint16(50_000+i)), typeShort)
			file = le.AppendUint32(le.AppendUint32(file, 1), 0)
		}
		file = le.AppendUint32(file, 0)
	}
	le.PutUint32(file[at+4:], uint32(count))
	le.PutUint32(file[at+8:], uint32(len(file)))
	return append(file, table...)
}

// TestNoSide checks that a picture without pixels is refused by its header.
func TestNoSide(t *testing.T) {
	for _, s := range [][2]uint32{{0, 5}, {5, 0}, {0, 0}} {
		files := map[string][]byte{
			"PNG":  buildPNG(s[0], s[1], 8, pngGray, 0, nil),
			"TIFF": buildTIFF(le, pixels(s[0], s[1], blackIsZero, []uint32{8}, []byte{0})),
			"JPEG": jpegFrame(0xc0, 8, uint16(s[0]), uint16(s[1]), 1),
		}
		for name, file := range files {
			if _, err := Decode(file, ReadOptions{}); kindName(err) != "format" && kindName(err) != "unsupported" {
				t.Errorf("%s of %d x %d: %v", name, s[0], s[1], err)
			}
		}
	}
	if err := (ReadOptions{}).checkSize(PNG, 0, 0); kindName(err) != "format" {
		t.Errorf("0 x 0: %v", err)
	}
}

// TestLimitsOfParts checks limits that no small picture reaches, one by one.
func TestLimitsOfParts(t *testing.T) {
	page := pixels(2, 2, blackIsZero, []uint32{8}, []byte{1, 2, 3, 4})
	scanned := &jpegDecoder{framed: true, scans: maxScans}
	raws := many(page.with(tagDNGVersion, 1), maxDNGDirectories+1)
	many := make([]uint32, maxSamples+1)
	for i := range many {
		many[i] = 8
	}
	packed := page.with(tagCompression, compressionZstd)
	// A frame with a window of 128 MiB and a last block of four bytes as they are (RFC 8878).
	packed.strips = [][]byte{{0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3, 4<<3 | 1, 0, 0, 1, 2, 3, 4}}
	deep := func() error {
		file := withDirectories(buildTIFF(le, page.with(tagExif, 0)), 2, 1)
		f, err := openTIFF(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return err
		}
		d, err := f.directory(f.first)
		if err != nil {
			return err
		}
		if _, err := d.subTree(d.find(tagExif), maxDepth-1); err != nil {
			t.Errorf("directories at the limit of depth: %v", err)
		}
		_, err = d.subTree(d.find(tagExif), maxDepth)
		return err
	}
	decode := func(file []byte) error {
		r, err := NewReader(file, ReadOptions{SkipUnsupported: true})
		if err == nil {
			_, err = r.Page(0)
		}
		return err
	}
	chunks := func(n int) error {
		_, err := webpChunks(append(make([]byte, 12), bytes.Repeat([]byte("none\x00\x00\x00\x00"), n)...))
		return err
	}
	pnm := func(comment int) error {
		return decode([]byte("P5\n#" + strings.Repeat("c", comment) + "\n2 2\n255\n1234"))
	}
	heavy := append(smallWebPs()[0], "ICCP"...)
	heavy = append(le.AppendUint32(heavy, maxMetadata+1), make([]byte, maxMetadata+2)...)
	le.PutUint32(heavy[4:], uint32(len(heavy)-8))
	endless := decode([]byte("P5\n#" + strings.Repeat("c", maxPNMHeader)))
	if endless == nil || !strings.Contains(endless.Error(), "a header of more than") {
		t.Errorf("a PNM header without end: %v", endless)
	}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"samples of a pixel", decode(buildTIFF(le, pixels(1, 1, blackIsZero, many, make([]byte, len(many))))),
			"limit"},
		{"directories of a tag", decode(withDirectories(buildTIFF(le, page.with(tagExif, 0)), maxSubs+1, 1)), "limit"},
		{"directories in directories", deep(), "limit"},
		{"chunks of WebP", chunks(maxItems + 1), "limit"},
		{"as many chunks as there may be", chunks(maxItems), ""},
		{"the header of PNM", endless, "format"},
		{"a short header of PNM", pnm(100), ""},
		{"shared metadata", metadataSize{bytes: 1 << 31}.check(1000), "limit"},
		{"little shared metadata", metadataSize{bytes: 1 << 20}.check(1000), ""},
		{"scans that are decoded", must.Err(scanned.scanHeader([]byte{1, 1, 0, 0, 63, 0})), "limit"},
		{"a text of PNG", must.Err(inflateText(deflate(make([]byte, 11)), 10)), "limit"},
		{"a short text of PNG", must.Err(inflateText(deflate(make([]byte, 10)), 10)), ""},
		{"a file of 4 GiB", tiffForm{}.fits(math.MaxUint32), "limit"},
		{"a BigTIFF file of 4 GiB", tiffForm{big: true}.fits(math.MaxUint32), ""},
		{"a file of 1 GiB", tiffForm{}.fits(1 << 30), ""},
		{"the directories of DNG", decode(buildTIFF(le, raws...)), "limit"},
		{"pages", decode(pages(maxPages + 1)), "limit"},
		{"metadata of WebP", decode(heavy), "limit"},
		{"the window of Zstandard", decode(buildTIFF(le, packed)), "format"},
	} {
		if got := kindName(c.err); c.err == nil && c.want != "" || c.err != nil && got != c.want {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
}

// pages returns a file of a page and of others that are not supported, as small as can be.
func pages(n int) []byte {
	file := buildTIFF(le, pixels(1, 1, blackIsZero, []uint32{8}, []byte{0}))
	f, _ := openTIFF(bytes.NewReader(file), int64(len(file)))
	d, _ := f.directory(f.first)
	for link := int(d.nextAt); n > 1; n-- {
		le.PutUint32(file[link:], uint32(len(file)))
		file = le.AppendUint16(append(file, 1, 0), tagBitsPerSample)
		file = append(file, typeShort, 0, 2, 0, 0, 0, 5, 0, 6, 0)
		link = len(file)
		file = append(file, 0, 0, 0, 0)
	}
	return file
}

// readsThen reads so many times, and then fails.
type readsThen struct {
	left int
	err  error
	io.ReaderAt
}

func (r *readsThen) ReadAt(b []byte, at int64) (int, error) {
	if r.left--; r.left < 0 {
		return 0, r.err
	}
	return r.ReaderAt.ReadAt(b, at)
}

// TestDirectoriesFormNoLoop checks that directories of pages that are left out, and those of a file that was written,
// are read once.
func TestDirectoriesFormNoLoop(t *testing.T) {
	file := buildTIFF(le, noKind([]byte("x")))
	f := must.Get(openTIFF(bytes.NewReader(file), int64(len(file))))(t)
	file = changeNext(t, file, uint32(f.first))
	read := &readsThen{4 * maxPages, errors.New("read again and again"), bytes.NewReader(file)}
	must.Fail(t, "pages", must.Err(openPages(read, f.size, ReadOptions{SkipUnsupported: true})), ErrFormat)
	f.r = read
	must.Fail(t, "links", must.Err(linksOf(f)), ErrFormat)
}

// TestPartsOfValues checks that of a long value no more is read than is asked for.
func TestPartsOfValues(t *testing.T) {
	file := buildTIFF(le, pixels(1, 1, blackIsZero, []uint32{8}, []byte{0}).with(40000, 1, 2, 3, 4, 5))
	f := must.Get(openTIFF(bytes.NewReader(file), int64(len(file))))(t)
	d := must.Get(f.directory(f.first))(t)
	if b, err := d.value(d.find(40000), 2); err != nil || !bytes.Equal(b, []byte{1, 0, 0, 0, 2, 0, 0, 0}) {
		t.Errorf("%v, %v", b, err)
	}
}

// TestWorkWithinLimits checks that of what is longer than a limit no more is expanded than tells that, and that strips
// share what expands them.
func TestWorkWithinLimits(t *testing.T) {
	bomb := deflate(make([]byte, 8<<20))
	if n := inflatedSize(bomb, 10); n != 11 {
		t.Errorf("%d bytes are counted", n)
	}
	if n := allocated(func() { inflateText(bomb, 10) }); n > 1<<20 {
		t.Errorf("%d bytes are allocated for a text", n)
	}
	z := must.Get(zstd.NewWriter(nil))(t)
	for compression, strip := range map[uint32][]byte{compressionDeflate: deflate(make([]byte, 8)),
		compressionZstd: z.EncodeAll(make([]byte, 8), nil)} {
		p := pixels(8, 400, blackIsZero, []uint32{8}, nil).with(tagRowsPerStrip, 1).with(tagCompression, compression)
		p.strips = many(strip, 400)
		file := buildTIFF(le, p)
		if n := allocated(func() { decoded(t, file, ReadOptions{Workers: 1}) }); n > 2<<20 {
			t.Errorf("compression %d: %d bytes are allocated for 400 strips", compression, n)
		}
	}
}

// TestBytesOutsideTheFile checks that nothing is allocated for bytes that a TIFF file cannot have.
func TestBytesOutsideTheFile(t *testing.T) {
	f := &tiffFile{r: bytes.NewReader(make([]byte, 16)), size: 16}
	for _, c := range [][2]uint64{{0, 17}, {16, 1}, {0, 1 << 62}, {1 << 63, 8}, {math.MaxUint64, 8}} {
		must.Fail(t, c, must.Err(f.bytes(c[0], c[1])), ErrFormat)
	}
	broken := errors.New("broken")
	must.Fail(t, "a file that has become shorter", must.Err((&tiffFile{r: f.r, size: 99}).bytes(8, 9)), ErrFormat)
	must.Fail(t, "a disk that cannot be read",
		must.Err((&tiffFile{r: &readsThen{0, broken, f.r}, size: 99}).bytes(8, 8)), broken)
	if b, err := f.bytes(8, 8); err != nil || len(b) != 8 {
		t.Error(b, err)
	}
}

// TestSizeOfAValueOverflows checks that a number of values whose bytes wrap around is not taken for a small one.
func TestSizeOfAValueOverflows(t *testing.T) {
	d := &ifd{tiffFile: &tiffFile{r: bytes.NewReader(nil), order: le}}
	for _, n := range []uint64{1 << 61, 1<<61 + 1, math.MaxUint64} {
		_, _, err := d.extent(&entry{typ: typeRational, count: n, inline: make([]byte, 8)})
		must.Fail(t, n, err, ErrFormat)
	}
}
