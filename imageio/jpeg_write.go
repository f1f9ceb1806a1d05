package imageio

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// Subsampling is the resolution of the chroma in a JPEG file.
type Subsampling int

// The kinds of chroma subsampling. SubsamplingSource keeps that of the source. If the source was not a JPEG, it means
// Subsampling444 at quality 90 and above, and Subsampling420 below.
const (
	SubsamplingSource Subsampling = iota
	Subsampling444                // full resolution
	Subsampling422                // half horizontally
	Subsampling420                // half horizontally and vertically
)

var subsamplingNames = [...]string{"", "4:4:4", "4:2:2", "4:2:0"}

// MarshalText returns "4:4:4", "4:2:2" or "4:2:0". SubsamplingSource has the empty name.
func (s Subsampling) MarshalText() ([]byte, error) {
	if s < 0 || int(s) >= len(subsamplingNames) {
		return nil, failf(ErrArgument, "there is no subsampling %d", int(s))
	}
	return []byte(subsamplingNames[s]), nil
}

// UnmarshalText sets the subsampling by its name.
func (s *Subsampling) UnmarshalText(text []byte) error {
	i := slices.Index(subsamplingNames[:], string(text))
	if i < 0 {
		return failf(ErrArgument, "%q is no subsampling", text)
	}
	*s = Subsampling(i)
	return nil
}

func (s Subsampling) factors() [][2]int {
	luma := map[Subsampling][2]int{Subsampling444: {1, 1}, Subsampling422: {2, 1}, Subsampling420: {2, 2}}[s]
	return [][2]int{luma, {1, 1}, {1, 1}}
}

const (
	// defaultQuality is used if the source was not a JPEG.
	defaultQuality = 95
	// minQuality limits the loss if the source was a JPEG. The coarse steps of a noisy source would cost a denoised
	// picture 0.3 dB on average (30 camera JPEGs of quality 75, PSNR against the mean of many shots). At quality 90 it
	// is less than 0.05 dB below what the best quality reaches; at 89 it is more.
	minQuality = 90
)

// plan decides how the image is coded. It keeps the coding of the source where the options do not ask for another.
func (o *WriteOptions) plan(img *Image) jpegCoding {
	n := len(img.Planes)
	c := jpegCoding{plain: n == 4}
	if m := img.Meta; m != nil && m.jpeg != nil && len(m.jpeg.coding.factors) == n {
		c = m.jpeg.coding
	}
	return o.coding(c, n)
}

// coding is the coding c of a source of n components, as far as the options do not ask for another.
func (o *WriteOptions) coding(c jpegCoding, n int) jpegCoding {
	quality := o.Quality
	switch {
	case quality > 0:
		c.tables = nil
	case c.tables == nil:
		quality = defaultQuality
	default:
		quality = minQuality
	}
	c.tables = finerTables(standardTables(quality, n, c.plain), c.tables)
	switch {
	case n == 3 && o.Subsampling != SubsamplingSource:
		c.factors, c.plain = o.Subsampling.factors(), false
	case c.factors == nil && n == 3 && quality < 90:
		c.factors = Subsampling420.factors()
	case c.factors == nil || n == 1 || !c.codable():
		c.factors = [][2]int{{1, 1}, {1, 1}, {1, 1}, {1, 1}}[:n]
	}
	return c
}

// standardTables returns the quantisation tables of n components for a quality of 1 to 100.
func standardTables(quality, n int, plain bool) []*quantTable {
	luma, chroma := quantOf(&typicalLuma, quality), quantOf(&typicalChroma, quality)
	if plain {
		chroma = luma
	}
	return []*quantTable{luma, chroma, chroma, luma}[:n]
}

// finerTables returns tables whose steps are the smaller ones of a and b. Tables that b lacks are taken from a.
func finerTables(a, b []*quantTable) []*quantTable {
	out := slices.Clone(a)
	for i, t := range b {
		if t == nil {
			continue
		}
		finer := *t
		for k, step := range a[i] {
			finer[k] = min(finer[k], step)
		}
		out[i] = &finer
	}
	return out
}

// most returns the largest sampling factor in each direction.
func (c *jpegCoding) most() (h, v int) {
	for _, f := range c.factors {
		h, v = max(h, f[0]), max(v, f[1])
	}
	return h, v
}

// codable reports whether all components fit in the units of one scan (T.81, section B.2.3), and whether all components
// are subsampled by whole numbers.
func (c *jpegCoding) codable() bool {
	blocks := 0
	h, v := c.most()
	for _, f := range c.factors {
		if f[0] < 1 || f[1] < 1 || h%f[0] != 0 || v%f[1] != 0 {
			return false
		}
		blocks += f[0] * f[1]
	}
	return blocks <= 10
}

// encodeJPEG writes a baseline file (T.81, section F.1) with the Huffman tables of annex K.
func encodeJPEG(w io.Writer, img *Image, o WriteOptions) error {
	segments := img.Meta.jpegSegments(len(img.Planes), o.Strip)
	if m := img.Meta; m != nil && m.jpeg != nil && !o.Strip {
		return m.jpeg.encodeWithTrailer(w, segments, func(w io.Writer,
			list []segment) error {
			return encodePicture(w, img, list, o)
		})
	}
	return encodePicture(w, img, segments, o)
}

// encodePicture writes everything up to the end of the picture.
func encodePicture(w io.Writer, img *Image, segments []segment, o WriteOptions) error {
	img = img.simple()
	c := o.plan(img)
	b := bufio.NewWriterSize(w, 1<<16)
	b.Write([]byte{0xff, markerSOI})
	for _, s := range segments {
		writeSegment(b, s.marker, s.body)
	}
	if c.adobe || c.plain || len(img.Planes) == 4 {
		transform := map[int]byte{1: 0, 3: 1, 4: 2}[len(img.Planes)]
		if c.plain {
			transform = 0
		}
		writeSegment(b, markerAPP14, append([]byte(headAdobe), 0, 100, 0, 0, 0, 0, transform))
	}
	c.writeTables(b, img)
	e := jpegEncoder{w: b, img: img, jpegCoding: c}
	if err := e.scan(o.Context); err != nil {
		return err
	}
	b.Write([]byte{0xff, markerEOI})
	return b.Flush()
}

func writeSegment(w *bufio.Writer, marker byte, body []byte) {
	w.Write(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)))
	w.Write(body)
}

// writeTables writes the tables, the frame header and the scan header. The first component and black use the Huffman
// codes of luma.
func (c *jpegCoding) writeTables(w *bufio.Writer, img *Image) {
	c.writeQuantisation(w)
	c.writeFrame(w, img)
	writeHuffman(w)
	c.writeScan(w)
}

// writeQuantisation writes the quantisation tables.
func (c *jpegCoding) writeQuantisation(w *bufio.Writer) {
	for i, t := range c.tables {
		if c.tableOf(i) == i {
			writeSegment(w, markerDQT, append([]byte{byte(i)}, t[:]...))
		}
	}
}

// writeHuffman writes the Huffman tables.
func writeHuffman(w *bufio.Writer) {
	for i, t := range huffmanTables {
		body := append([]byte{byte(i&1<<4 | i>>1)}, t.counts[:]...)
		writeSegment(w, markerDHT, append(body, t.values...))
	}
}

// idOf returns the name of component i.
func (c *jpegCoding) idOf(i int) byte {
	if c.plain && len(c.tables) == 3 {
		return "RGB"[i]
	}
	return byte(i + 1)
}

// writeFrame writes the frame header.
func (c *jpegCoding) writeFrame(w *bufio.Writer, img *Image) {
	frame := []byte{8}
	frame = binary.BigEndian.AppendUint16(frame, uint16(img.Height))
	frame = binary.BigEndian.AppendUint16(frame, uint16(img.Width))
	frame = append(frame, byte(len(c.tables)))
	for i := range c.tables {
		frame = append(frame, c.idOf(i), byte(c.factors[i][0]<<4|c.factors[i][1]), byte(c.tableOf(i)))
	}
	writeSegment(w, markerSOF0, frame)
}

// writeScan writes the scan header.
func (c *jpegCoding) writeScan(w *bufio.Writer) {
	scan := []byte{byte(len(c.tables))}
	for i := range c.tables {
		scan = append(scan, c.idOf(i), byte(c.codesOf(i)<<4|c.codesOf(i)))
	}
	writeSegment(w, markerSOS, append(scan, 0, 63, 0))
}

// tableOf returns the first component that has the quantisation table of component i.
func (c *jpegCoding) tableOf(i int) int {
	for j, t := range c.tables[:i] {
		if *t == *c.tables[i] {
			return j
		}
	}
	return i
}

// codesOf returns the Huffman tables of component i: 0 for those of luma, 1 for those of chroma.
func (c *jpegCoding) codesOf(i int) int {
	if c.plain || i == 0 || i == 3 {
		return 0
	}
	return 1
}

// jpegEncoder codes the samples, a row of units at a time.
type jpegEncoder struct {
	jpegCoding
	w     *bufio.Writer
	img   *Image
	full  [][]float32 // samples of each component in a row of units, -128 to 127
	part  [][]float32 // the same samples after subsampling
	codes [4]*[256]huffmanCode
	last  [4]int32 // DC coefficient of the block before, for each component
	bits  uint32   // bits that have not been written
	have  uint8    // number of these bits
}

// scan writes the scan, which holds all components, until a context is done.
func (e *jpegEncoder) scan(ctx context.Context) error {
	for i := range e.codes {
		e.codes[i] = huffmanTables[i].codes()
	}
	h, v := e.most()
	units := (e.img.Width + 8*h - 1) / (8 * h)
	width, rows := units*8*h, 8*v
	for _, f := range e.factors {
		e.full = append(e.full, make([]float32, width*rows))
		e.part = append(e.part, make([]float32, width/h*f[0]*8*f[1]))
	}
	for y := 0; y < e.img.Height; y += rows {
		if err := ended(ctx); err != nil {
			return err
		}
		for dy := range rows {
			e.convert(min(y+dy, e.img.Height-1), dy*width, width)
		}
		for i, f := range e.factors {
			reduce(e.part[i], e.full[i], width, h/f[0], v/f[1])
		}
		for u := range units {
			for i, f := range e.factors {
				stride := units * 8 * f[0]
				for b := range f[0] * f[1] {
					x, dy := u*f[0]+b%f[0], b/f[0]
					e.block(i, transformBlock(e.part[i][8*dy*stride+8*x:], stride, e.tables[i]))
				}
			}
		}
	}
	e.emit(1<<7-1, 7) // fill the last byte with ones
	return nil
}

// convert converts row y of the image to components and stores them from index at. It repeats the last pixel up to the
// width. Luma and chroma are defined by JFIF. With the transform, the inks of CMYK are inverted first.
func (e *jpegEncoder) convert(y, at, width int) {
	w, p := e.img.Width, e.img.Planes
	for x := range width {
		i := y*w + min(x, w-1)
		var s [4]float32
		for c := range p {
			s[c] = 255 * min(max(p[c][i], 0), 1)
		}
		if len(p) >= 3 && !e.plain {
			if len(p) == 4 {
				s[0], s[1], s[2] = 255-s[0], 255-s[1], 255-s[2]
			}
			r, g, b := s[0], s[1], s[2]
			s[0] = 0.299*r + 0.587*g + 0.114*b
			s[1] = 128 - 0.168735892*r - 0.331264108*g + 0.5*b
			s[2] = 128 + 0.5*r - 0.418687589*g - 0.081312411*b
		}
		for c := range p {
			e.full[c][at+x] = s[c] - 128
		}
	}
}

// reduce stores the mean of each h x v samples of src in dst. Rows of src have width samples.
func reduce(dst, src []float32, width, h, v int) {
	if h == 1 && v == 1 {
		copy(dst, src)
		return
	}
	w := width / h
	for i := range dst {
		x, y, sum := i%w*h, i/w*v, float32(0)
		for dy := range v {
			for _, s := range src[(y+dy)*width+x:][:h] {
				sum += s
			}
		}
		dst[i] = sum / float32(h*v)
	}
}

// block writes the coefficients of a block (section F.1.2).
func (e *jpegEncoder) block(component int, coefficients [64]int32) {
	dc, ac := e.codes[2*e.codesOf(component)], e.codes[2*e.codesOf(component)+1]
	e.number(dc, 0, coefficients[0]-e.last[component])
	e.last[component] = coefficients[0]
	run := 0
	for _, v := range coefficients[1:] {
		if v == 0 {
			run++
			continue
		}
		for ; run > 15; run -= 16 {
			e.code(ac[0xf0])
		}
		e.number(ac, run, v)
		run = 0
	}
	if run > 0 {
		e.code(ac[0])
	}
}

// number writes the code for a run of zeros and the size of v in bits, then the bits of v.
func (e *jpegEncoder) number(codes *[256]huffmanCode, run int, v int32) {
	size := uint8(0)
	for a := max(v, -v); a > 0; a >>= 1 {
		size++
	}
	e.code(codes[run<<4|int(size)])
	if v < 0 {
		v--
	}
	e.emit(uint32(v)&(1<<size-1), size)
}

func (e *jpegEncoder) code(c huffmanCode) { e.emit(c.bits, c.size) }

// emit writes bits, the most significant first, with a zero byte after each 0xff. The bufio.Writer keeps errors.
func (e *jpegEncoder) emit(bits uint32, size uint8) {
	e.bits, e.have = e.bits<<size|bits, e.have+size
	for ; e.have >= 8; e.have -= 8 {
		b := byte(e.bits >> (e.have - 8))
		e.w.WriteByte(b)
		if b == math.MaxUint8 {
			e.w.WriteByte(0)
		}
	}
}
