package imageio

import (
	"encoding/binary"
	"io"
	"math"
)

// stripBytes is about how much a strip holds; TIFF 6.0 advises small strips, so that readers need
// not hold the whole image.
const stripBytes = 1 << 16

// tiffPlan is where everything goes in a file that is written front to back: header, directory,
// the arrays that do not fit in it, strips.
type tiffPlan struct {
	rowBytes, rows, strips int64 // rows of a strip
	pixels                 int64 // offset of the first strip
	fields                 []field
}

// field is an entry of the directory; typ is 3 SHORT, 4 LONG or 5 RATIONAL, a RATIONAL taking two
// values.
type field struct {
	tag, typ uint16
	values   []uint32
}

func (f field) width() int64 {
	if f.typ == 3 {
		return 2
	}
	return 4
}

func (f field) size() int64 { return f.width() * int64(len(f.values)) }

// checkTIFF refuses what does not fit in 32-bit offsets, and samples that overflow under white.
func checkTIFF(img *Image, white float64) error {
	rowBytes := int64(img.Width) * int64(len(img.channels())) * int64(img.Depth) / 8
	// Each row costs at most 8 bytes of strip tables on top of its pixels.
	if rowBytes+8 > (math.MaxUint32-1024)/int64(img.Height) {
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

// encodeTIFF writes baseline TIFF: little-endian, uncompressed strips of chunky samples.
func encodeTIFF(w io.Writer, img *Image, white float64) error {
	p := planTIFF(img)
	if _, err := w.Write(p.head()); err != nil {
		return err
	}
	buf := make([]byte, p.rows*p.rowBytes)
	for y := 0; y < img.Height; y += int(p.rows) {
		rows := min(int(p.rows), img.Height-y)
		strip := buf[:int64(rows)*p.rowBytes]
		putSamples(strip, img.rowsAt(y, rows), binary.LittleEndian, white)
		if _, err := w.Write(strip); err != nil {
			return err
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

// putSamples interleaves the planes of the image, alpha last, into dst.
func putSamples(dst []byte, img *Image, order binary.ByteOrder, white float64) {
	channels := img.channels()
	size, top := int(img.Depth)/8, img.Depth.max()
	for c, plane := range channels {
		scale := white
		if c == len(img.Planes) { // alpha
			scale = 1
		}
		at := c * size
		for _, v := range plane {
			switch img.Depth {
			case Depth8:
				dst[at] = byte(quantise(v, top))
			case Depth16:
				order.PutUint16(dst[at:], quantise(v, top))
			case DepthFloat32:
				order.PutUint32(dst[at:], math.Float32bits(float32(float64(v)*scale)))
			}
			at += len(channels) * size
		}
	}
}

func planTIFF(img *Image) *tiffPlan {
	samples := len(img.channels())
	p := &tiffPlan{rowBytes: int64(img.Width) * int64(samples) * int64(img.Depth) / 8}
	p.rows = min(int64(img.Height), max(1, stripBytes/p.rowBytes))
	p.strips = (int64(img.Height) + p.rows - 1) / p.rows
	offsets, counts := make([]uint32, p.strips), make([]uint32, p.strips)
	p.fields = tiffFields(img, samples, uint32(p.rows), offsets, counts)
	p.pixels = 8 + 2 + int64(len(p.fields))*ifdEntry + 4
	for _, f := range p.fields {
		if f.size() > 4 {
			p.pixels += f.size()
		}
	}
	for i := range p.strips {
		rows := min(p.rows, int64(img.Height)-i*p.rows)
		offsets[i], counts[i] = uint32(p.pixels+i*p.rows*p.rowBytes), uint32(rows*p.rowBytes)
	}
	return p
}

// tiffFields lists the directory in the order of tags. A resolution is required by the baseline;
// unit 1 says that it means nothing but square pixels.
func tiffFields(img *Image, samples int, rows uint32, offsets, counts []uint32) []field {
	const short, long, rational = 3, 4, 5
	perSample := func(v uint32) []uint32 {
		a := make([]uint32, samples)
		for i := range a {
			a[i] = v
		}
		return a
	}
	photometric := uint32(blackIsZero)
	if len(img.Planes) == 3 {
		photometric = rgb
	}
	f := []field{
		{tagImageWidth, long, []uint32{uint32(img.Width)}},
		{tagImageLength, long, []uint32{uint32(img.Height)}},
		{tagBitsPerSample, short, perSample(uint32(img.Depth))},
		{tagCompression, short, []uint32{compressionNone}},
		{tagPhotometric, short, []uint32{photometric}},
		{tagStripOffsets, long, offsets},
		{tagSamplesPerPixel, short, []uint32{uint32(samples)}},
		{tagRowsPerStrip, long, []uint32{rows}},
		{tagStripByteCounts, long, counts},
		{tagXResolution, rational, []uint32{1, 1}},
		{tagYResolution, rational, []uint32{1, 1}},
		{tagResolutionUnit, short, []uint32{1}},
	}
	if img.Alpha != nil {
		f = append(f, field{tagExtraSamples, short, []uint32{alphaUnassociated}})
	}
	if img.Depth == DepthFloat32 {
		f = append(f, field{tagSampleFormat, short, perSample(formatFloat)})
	}
	return f
}

// head is the file up to the first strip.
func (p *tiffPlan) head() []byte {
	le := binary.LittleEndian
	b := append([]byte("II*\x00"), 8, 0, 0, 0)
	b = le.AppendUint16(b, uint16(len(p.fields)))
	var arrays []byte
	base := uint32(8 + 2 + len(p.fields)*ifdEntry + 4)
	for _, f := range p.fields {
		count := uint32(len(f.values))
		if f.typ == 5 {
			count /= 2
		}
		b = le.AppendUint16(le.AppendUint16(b, f.tag), f.typ)
		b = le.AppendUint32(b, count)
		var values []byte
		for _, v := range f.values {
			if f.width() == 2 {
				values = le.AppendUint16(values, uint16(v))
			} else {
				values = le.AppendUint32(values, v)
			}
		}
		if len(values) > 4 {
			b = le.AppendUint32(b, base+uint32(len(arrays)))
			arrays = append(arrays, values...)
		} else {
			b = append(b, append(values, 0, 0, 0, 0)[:4]...)
		}
	}
	b = le.AppendUint32(b, 0) // no further page
	return append(b, arrays...)
}
