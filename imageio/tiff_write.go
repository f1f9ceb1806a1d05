package imageio

import (
	"bytes"
	"compress/zlib"
	"io"
	"math"
)

// The approximate size of a strip. TIFF 6.0 recommends small strips, so that readers need not hold the whole image.
// Larger strips compress better.
const (
	stripBytes  = 1 << 16
	packedBytes = 1 << 18
)

// tiffWriter writes a file from front to back, page by page: the directory, its values, then the pixels. Pixels are in
// strips of chunky samples, in the byte order of the source. They are compressed with Deflate if the source was
// compressed in any way.
type tiffWriter struct {
	w     io.Writer
	o     WriteOptions
	form  tiffForm
	at    int64 // bytes written
	pages int
	done  int    // pages written
	first *Image // the first image of an ImageJ stack, without samples; all others must be of its kind
}

// page writes the next page.
func (t *tiffWriter) page(img *Image) error {
	if t.done == 0 {
		t.form = t.chooseForm(img)
		if err := t.write(t.form.header()); err != nil {
			return err
		}
	}
	defer func() { t.done++ }()
	if t.first != nil {
		return t.append(img)
	}
	p := t.plan(img)
	if img.Meta.stackOf() == t.pages && t.pages > 1 && !t.o.Strip && t.done == 0 {
		t.first = &Image{Width: img.Width, Height: img.Height, Planes: make([][]float32, len(img.Planes)), Extra: make([][]float32, len(img.channels())-len(img.Planes)), Depth: img.Depth}
		p.compressed, p.rows, p.last = false, img.Height, true
	}
	return t.writePage(p)
}

// chooseForm chooses BigTIFF if the source was one or if offsets of 32 bits may be too small. An ImageJ stack has one
// directory, at its start, so TIFF is enough for it.
func (t *tiffWriter) chooseForm(img *Image) tiffForm {
	f := img.Meta.form()
	bytes := int64(rowSize(img)) * int64(img.Height)
	if t.pages > 1 && img.Meta.stackOf() != t.pages && bytes > (math.MaxUint32-1<<24)/int64(t.pages) {
		f.big = true
	}
	return f
}

func (m *Metadata) stackOf() int {
	if m == nil || m.tiff == nil {
		return 0
	}
	return m.tiff.stack
}

// append writes the pixels of the next image of an ImageJ stack.
func (t *tiffWriter) append(img *Image) error {
	f := t.first
	if img.Width != f.Width || img.Height != f.Height || len(img.Planes) != len(f.Planes) || img.Depth != f.Depth || len(img.channels()) != len(f.channels()) {
		return failf(ErrUnsupported, "a stack of images of different kinds")
	}
	return t.strips(&tiffPlan{img: img, rows: max(1, stripBytes/rowSize(img))}, t.write)
}

func (t *tiffWriter) write(b []byte) error {
	n, err := t.w.Write(b)
	t.at += int64(n)
	return err
}

// tiffPlan is how a page is written.
type tiffPlan struct {
	img        *Image
	rows       int // rows of a strip
	compressed bool
	last       bool     // no directory follows
	packed     []byte   // all strips, if compressed
	offsets    []uint64 // where each strip begins in the file
	counts     []uint64 // bytes of each strip
}

func (t *tiffWriter) plan(img *Image) *tiffPlan {
	p := &tiffPlan{img: img, last: t.done == t.pages-1}
	p.compressed = img.Meta != nil && img.Meta.tiff != nil && img.Meta.tiff.packed
	strip := stripBytes
	if p.compressed {
		strip = packedBytes
	}
	p.rows = min(img.Height, max(1, strip/rowSize(img)))
	return p
}

func (t *tiffWriter) writePage(p *tiffPlan) error {
	img := p.img
	n := (img.Height + p.rows - 1) / p.rows
	p.offsets, p.counts = make([]uint64, n), make([]uint64, n)
	for i := range n {
		p.counts[i] = uint64(min(p.rows, img.Height-i*p.rows)) * uint64(rowSize(img))
	}
	if p.compressed {
		i := 0
		err := t.strips(p, func(b []byte) error {
			p.counts[i] = uint64(len(b))
			p.packed, i = append(p.packed, b...), i+1
			return nil
		})
		if err != nil {
			return err
		}
	}
	at := t.at + t.form.size(t.directory(p))
	for i := range n {
		p.offsets[i], at = uint64(at), at+int64(p.counts[i])
	}
	next := even(at)
	if !t.form.big && next > math.MaxUint32-(1<<16) {
		return failf(ErrLimit, "the pages do not fit in a TIFF file of 4 GiB")
	}
	link := next
	if p.last {
		link = 0
	}
	if err := t.write(t.form.put(t.directory(p), t.at, link)); err != nil {
		return err
	}
	if err := t.pixels(p); err != nil {
		return err
	}
	if p.last {
		return nil
	}
	return t.write(make([]byte, next-at))
}

func (t *tiffWriter) pixels(p *tiffPlan) error {
	if p.compressed {
		return t.write(p.packed)
	}
	q := *p
	q.rows = min(p.rows, max(1, stripBytes/rowSize(p.img))) // a stack has one strip, which may be large
	return t.strips(&q, t.write)
}

// strips calls put with the bytes of each strip in order.
func (t *tiffWriter) strips(p *tiffPlan, put func([]byte) error) error {
	row := rowSize(p.img)
	buf, memory := make([]byte, p.rows*row), make([]byte, row)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	for y := 0; y < p.img.Height; y += p.rows {
		rows := min(p.rows, p.img.Height-y)
		strip := buf[:rows*row]
		putSamples(strip, p.img.rowsAt(y, rows), t.form.order, t.o.White)
		if p.compressed {
			for i := range rows {
				predictDepth(strip[i*row:(i+1)*row], memory, len(p.img.channels()), p.img.Depth, t.form.order)
			}
			packed.Reset()
			z.Reset(&packed)
			z.Write(strip)
			z.Close()
			strip = packed.Bytes()
		}
		if err := put(strip); err != nil {
			return err
		}
	}
	return nil
}

// directory returns the tags of a page. Baseline TIFF requires a resolution. If none is known, it is 1 x 1 with unit 1,
// which only says that pixels are square.
func (t *tiffWriter) directory(p *tiffPlan) directory {
	img, order := p.img, t.form.order
	samples := len(img.channels())
	perSample := func(v uint64) []uint64 {
		a := make([]uint64, samples)
		for i := range a {
			a[i] = v
		}
		return a
	}
	offset := uint16(typeLong)
	if t.form.big {
		offset = typeLong8
	}
	compression := uint64(compressionNone)
	if p.compressed {
		compression = compressionDeflate
	}
	d := directory{
		numbers(order, tagImageWidth, typeLong, uint64(img.Width)),
		numbers(order, tagImageLength, typeLong, uint64(img.Height)),
		numbers(order, tagBitsPerSample, typeShort, perSample(uint64(img.Depth.bits()))...),
		numbers(order, tagCompression, typeShort, compression),
		numbers(order, tagPhotometric, typeShort, img.photometric()),
		numbers(order, tagStripOffsets, offset, p.offsets...),
		numbers(order, tagSamplesPerPixel, typeShort, uint64(samples)),
		numbers(order, tagRowsPerStrip, typeLong, uint64(p.rows)),
		numbers(order, tagStripByteCounts, offset, p.counts...),
	}
	if v := img.Depth.predictor(); p.compressed && v != predictorNone {
		d = append(d, numbers(order, tagPredictor, typeShort, v))
	}
	if extra := img.extraSamples(); len(extra) > 0 {
		d = append(d, numbers(order, tagExtraSamples, typeShort, extra...))
	}
	if kind := img.Depth.kind(); kind != kindUint {
		d = append(d, numbers(order, tagSampleFormat, typeShort, perSample(uint64(kind))...))
	}
	d = append(d, t.kept(img)...)
	if d.find(tagXResolution) == nil || d.find(tagYResolution) == nil {
		d = d.with(numbers(order, tagXResolution, typeRational, 1, 1), numbers(order, tagYResolution, typeRational, 1, 1),
			numbers(order, tagResolutionUnit, typeShort, 1))
	}
	return d.sorted()
}

// Tags that describe an ImageJ stack, besides the image description.
const (
	tagImageJCounts = 50838
	tagImageJ       = 50839
)

// kept returns the tags of the metadata. If the file has one page, it drops the description of an ImageJ stack that the
// page may come from.
func (t *tiffWriter) kept(img *Image) directory {
	d := img.Meta.tiffTags(t.form.order, t.o.Strip)
	if e := d.find(tagDescription); t.pages == 1 && e != nil && imagesOf(string(e.data)) > 1 {
		return d.without(tagDescription, tagImageJCounts, tagImageJ)
	}
	return d
}

// checkTIFF refuses an image that needs offsets of more than 32 bits, and samples that overflow when multiplied by
// white.
func checkTIFF(img *Image, white float64) error {
	// A row takes its pixels and at most 8 bytes in the tables of strips.
	if int64(rowSize(img))+8 > (math.MaxUint32-maxMetadata)/int64(img.Height) {
		return failf(ErrLimit, "%d x %d pixels do not fit in a TIFF file of 4 GiB", img.Width, img.Height)
	}
	if img.Depth != DepthFloat32 || white <= 1 { // float64 holds more, and float16 is clipped
		return nil
	}
	for _, p := range img.Planes {
		for i, v := range p {
			if !finite(float32(float64(v) * white)) {
				return failf(ErrFormat, "sample too large at pixel (%d, %d)", i%img.Width, i/img.Width)
			}
		}
	}
	return nil
}
