package imageio

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
)

// Strips hold about as much as this; TIFF 6.0 advises small ones, so that readers need not hold the whole
// image. Compression likes them larger.
const (
	stripBytes  = 1 << 16
	packedBytes = 1 << 18
)

// tiffWriter writes a file front to back, page by page: of each page the directory, its values, the pixels.
// Pixels are in strips of chunky samples, in the byte order of the file the image comes from, compressed
// with Deflate if they were compressed in any way there.
type tiffWriter struct {
	w     io.Writer
	o     WriteOptions
	form  tiffForm
	at    int64 // bytes written
	pages int
	done  int
	first *Image // of an ImageJ stack: all pages are as this one
}

// page appends a page.
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
		t.first = &Image{Width: img.Width, Height: img.Height, Planes: make([][]float32, len(img.Planes)), Depth: img.Depth}
		p.compressed, p.rows, p.last = false, img.Height, true
	}
	return t.writePage(p)
}

// chooseForm takes BigTIFF where offsets of 32 bits may not do, or where the source was one. A stack of
// ImageJ's has its offsets at the start.
func (t *tiffWriter) chooseForm(img *Image) tiffForm {
	f := img.Meta.form()
	bytes := int64(len(img.channels())) * int64(img.Depth) / 8 * int64(img.Width) * int64(img.Height)
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

// append puts the pixels of one more image of an ImageJ stack behind the last.
func (t *tiffWriter) append(img *Image) error {
	f := t.first
	if img.Width != f.Width || img.Height != f.Height || len(img.Planes) != len(f.Planes) || img.Depth != f.Depth || img.Alpha != nil {
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
	rows       int // of a strip
	compressed bool
	last       bool // no directory follows
	packed     []byte
	offsets    []uint64
	counts     []uint64
}

func rowSize(img *Image) int { return img.Width * len(img.channels()) * int(img.Depth) / 8 }

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
	q.rows = min(p.rows, max(1, stripBytes/rowSize(p.img))) // the one strip of a stack is large
	return t.strips(&q, t.write)
}

// strips gives the bytes of one strip after the other.
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
				predict(strip[i*row:(i+1)*row], memory, len(p.img.channels()), int(p.img.Depth)/8, t.form.order)
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

// directory lists the tags of a page. A resolution is required by the baseline; where none is known, unit 1
// says that it means nothing but square pixels.
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
		numbers(order, tagBitsPerSample, typeShort, perSample(uint64(img.Depth))...),
		numbers(order, tagCompression, typeShort, compression),
		numbers(order, tagPhotometric, typeShort, map[int]uint64{1: blackIsZero, 3: rgb, 4: separated}[len(img.Planes)]),
		numbers(order, tagStripOffsets, offset, p.offsets...),
		numbers(order, tagSamplesPerPixel, typeShort, uint64(samples)),
		numbers(order, tagRowsPerStrip, typeLong, uint64(p.rows)),
		numbers(order, tagStripByteCounts, offset, p.counts...),
	}
	if p.compressed {
		d = append(d, numbers(order, tagPredictor, typeShort, map[bool]uint64{false: predictorHorizontal, true: predictorFloat}[img.Depth == DepthFloat32]))
	}
	if img.Alpha != nil {
		d = append(d, numbers(order, tagExtraSamples, typeShort, alphaUnassociated))
	}
	if img.Depth == DepthFloat32 {
		d = append(d, numbers(order, tagSampleFormat, typeShort, perSample(formatFloat)...))
	}
	d = append(d, t.kept(img)...)
	if d.find(tagXResolution) == nil || d.find(tagYResolution) == nil {
		d = d.with(numbers(order, tagXResolution, typeRational, 1, 1), numbers(order, tagYResolution, typeRational, 1, 1),
			numbers(order, tagResolutionUnit, typeShort, 1))
	}
	return d.sorted()
}

// Tags that ImageJ describes its stacks with, besides the description.
const (
	tagImageJCounts = 50838
	tagImageJ       = 50839
)

// kept are the tags of the metadata. The only page of a file is no stack, though it may come from one.
func (t *tiffWriter) kept(img *Image) directory {
	d := img.Meta.tiffTags(t.form.order, t.o.Strip)
	if e := d.find(tagDescription); t.pages == 1 && e != nil && imagesOf(string(e.data)) > 1 {
		return d.without(tagDescription, tagImageJCounts, tagImageJ)
	}
	return d
}

// checkTIFF refuses what does not fit in 32-bit offsets, and samples that overflow under white.
func checkTIFF(img *Image, white float64) error {
	// Each row costs at most 8 bytes of strip tables on top of its pixels.
	if int64(rowSize(img))+8 > (math.MaxUint32-maxMetadata)/int64(img.Height) {
		return failf(ErrLimit, "%d x %d pixels do not fit in a TIFF file of 4 GiB", img.Width, img.Height)
	}
	if img.Depth != DepthFloat32 || white <= 1 {
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

// rowsAt is the part of the image of n rows from y, sharing its planes.
func (m *Image) rowsAt(y, n int) *Image {
	from, to := y*m.Width, (y+n)*m.Width
	part := *m
	part.Height, part.Planes = n, nil
	for _, p := range m.Planes {
		part.Planes = append(part.Planes, p[from:to])
	}
	if m.Alpha != nil {
		part.Alpha = m.Alpha[from:to]
	}
	return &part
}

// putSamples interleaves the planes of the image, alpha last, into dst. CMYK is turned over into amounts of
// ink, as TIFF has it.
func putSamples(dst []byte, img *Image, order binary.ByteOrder, white float64) {
	channels := img.channels()
	size, top := int(img.Depth)/8, img.Depth.max()
	ink := uint16(0)
	if len(img.Planes) == 4 {
		ink = uint16(top)
	}
	for c, plane := range channels {
		scale := white
		if c == len(img.Planes) { // alpha
			scale = 1
		}
		at := c * size
		for _, v := range plane {
			switch img.Depth {
			case Depth8:
				dst[at] = byte(quantise(v, top) ^ ink)
			case Depth16:
				order.PutUint16(dst[at:], quantise(v, top)^ink)
			case DepthFloat32:
				order.PutUint32(dst[at:], math.Float32bits(float32(float64(v)*scale)))
			}
			at += len(channels) * size
		}
	}
}
