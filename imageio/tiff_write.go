package imageio

import (
	"io"
	"math"
)

// tiffWriter writes a file from front to back, page by page: the directory, its values, then the pixels. Samples are
// chunky and in the byte order of the source. Compression, predictor and tiles come from the source too. A stack of
// ImageJ is written in another order, see imageJStack.
type tiffWriter struct {
	w     io.Writer
	o     WriteOptions
	form  tiffForm
	at    int64 // bytes written
	pages int
	done  int // pages written
	stack *imageJStack
	note  *tag  // a value with a place, until it is written
	frame int64 // bytes before and behind each strip or tile
}

// page writes the next page.
func (t *tiffWriter) page(img *Image) error {
	if t.done == 0 {
		t.form = t.chooseForm(img)
		if t.isStack(img) {
			t.stack = &imageJStack{tiffWriter: t}
		}
	}
	defer func() { t.done++ }()
	if t.stack != nil {
		return t.stack.page(img)
	}
	p := t.plan(img)
	p.levels = t.levels(p)
	return t.writePage(p)
}

// chooseForm chooses BigTIFF if the source was one or if offsets of 32 bits may be too small. ImageJ finds the images
// of its stacks without offsets, so TIFF is enough for them.
func (t *tiffWriter) chooseForm(img *Image) tiffForm {
	f := img.Meta.form()
	size := imageSize(img)
	for _, v := range img.fromTIFF().levels {
		size += imageSize(&Image{Width: v.width, Height: v.height, Planes: img.channels(), Depth: img.Depth})
	}
	alone := t.pages == 1 && size == imageSize(img) // checkTIFF has looked at its size
	if !alone && !t.isStack(img) && size > (math.MaxUint32-1<<24)/int64(t.pages) {
		f.big = true
	}
	return f
}

// imageSize returns the bytes of all samples of the image in a file.
func imageSize(img *Image) int64 { return int64(rowSize(img)) * int64(img.Height) }

func (t *tiffWriter) write(b []byte) error {
	n, err := t.w.Write(b)
	t.at += int64(n)
	return err
}

// writePage writes the directory and the pixels of a page, then those of its levels. A value that has its place is
// among them.
func (t *tiffWriter) writePage(p *tiffPlan) error {
	plans := p.inOrder()
	for _, p := range plans {
		if p.compressed() {
			if err := p.pack(t.o.Context, t.form.order, t.o.White); err != nil {
				return err
			}
		}
	}
	d := t.directory(p)
	at := t.at
	if t.done == 0 {
		t.note = d.placed()
		head := t.headOf(p.img)
		if head != nil {
			t.frame = frameBytes
		}
		at = t.note.free(t.form.headerSize()+even(int64(len(head))), t.chainSize(p))
		if err := t.begins(at, head); err != nil {
			return err
		}
	}
	start := at
	at += t.chainSize(p)
	for _, p := range plans {
		for i, n := range p.counts {
			at = t.note.free(at+t.frame, int64(n))
			p.offsets[i], at = uint64(at), at+int64(n)+t.frame
		}
	}
	if t.note != nil {
		at = max(at, t.note.end())
	}
	next := even(at)
	if err := t.form.fits(next); err != nil {
		return err
	}
	last := t.done == t.pages-1
	link := next
	if last {
		link = 0
	}
	if err := t.advance(start); err != nil {
		return err
	}
	if err := t.write(t.chain(p, start, link)); err != nil {
		return err
	}
	for _, p := range plans {
		if err := t.pixels(p); err != nil {
			return err
		}
	}
	if last {
		next = at
	}
	return t.advance(next)
}

// pixels writes the blocks of a page.
func (t *tiffWriter) pixels(p *tiffPlan) error {
	i := 0
	put := func(block []byte) error {
		at := int64(p.offsets[i])
		if i++; t.frame > 0 {
			return t.framed(at, block)
		}
		if err := t.advance(at); err != nil {
			return err
		}
		return t.write(block)
	}
	if !p.compressed() {
		return p.blocks(t.form.order, t.o.White, put)
	}
	rest := p.packed
	for _, n := range p.counts {
		if err := put(rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// advance writes zeros up to an offset, and the value that has its place before it.
func (t *tiffWriter) advance(to int64) error {
	if n := t.note; n != nil && n.end() <= to {
		t.note = nil
		if err := t.advance(n.place); err != nil {
			return err
		}
		if err := t.write(n.data); err != nil {
			return err
		}
	}
	zeros := make([]byte, min(to-t.at, 1<<16))
	for t.at < to {
		if err := t.write(zeros[:min(to-t.at, int64(len(zeros)))]); err != nil {
			return err
		}
	}
	return nil
}

// directory returns the tags of a page.
func (t *tiffWriter) directory(p *tiffPlan) directory {
	d := append(t.structure(p), t.kept(p.img)...)
	if len(p.levels) > 0 && len(p.below()) == 0 {
		sub := tag{id: tagSubIFDs, typ: typeIFD}
		for _, v := range p.levels {
			sub.subs = append(sub.subs, t.structure(v).with(numbers(t.form.order, tagNewSubfileType, typeLong, 1)))
		}
		d = append(d, sub)
	}
	return d.sorted()
}

// structure returns the tags that say what the pixels mean and where they are.
func (t *tiffWriter) structure(p *tiffPlan) directory {
	img, order := p.img, t.form.order
	samples := len(img.channels())
	perSample := func(v uint64) []uint64 {
		a := make([]uint64, samples)
		for i := range a {
			a[i] = v
		}
		return a
	}
	d := directory{
		numbers(order, tagImageWidth, typeLong, uint64(img.Width)),
		numbers(order, tagImageLength, typeLong, uint64(img.Height)),
		numbers(order, tagBitsPerSample, typeShort, perSample(uint64(img.Depth.bits()))...),
		numbers(order, tagPhotometric, typeShort, p.photometric()),
		numbers(order, tagSamplesPerPixel, typeShort, uint64(samples)),
	}
	if extra := img.extraSamples(); len(extra) > 0 {
		d = append(d, numbers(order, tagExtraSamples, typeShort, extra...))
	}
	if kind := img.Depth.kind(); kind != kindUint {
		d = append(d, numbers(order, tagSampleFormat, typeShort, perSample(uint64(kind))...))
	}
	return append(d, p.tags(t.form)...)
}

// photometric returns the value of the tag for the colours of the page.
func (p *tiffPlan) photometric() uint64 {
	if p.ycbcr() {
		return ycbcr
	}
	return p.img.photometric()
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
			if finite(v) && !finite(float32(float64(v)*white)) {
				return failf(ErrFormat, "sample too large at pixel (%d, %d)", i%img.Width, i/img.Width)
			}
		}
	}
	return nil
}
