package imageio

import (
	"bufio"
	"encoding/binary"
	"io"
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
	h, v := c.most()
	for _, f := range c.factors {
		if f[0] < 1 || f[1] < 1 || h%f[0] != 0 || v%f[1] != 0 {
			return false
		}
	}
	return c.blocksOfUnit() <= 10
}

// blocksOfUnit returns the number of blocks of all components in a unit of a scan.
func (c *jpegCoding) blocksOfUnit() (n int) {
	for _, f := range c.factors {
		n += f[0] * f[1]
	}
	return n
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
	if err := c.encode(running(o.Context), b, img, o.Workers); err != nil {
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
