package imageio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
)

// Pages that were stored as JPEG are written so again (Adobe Photoshop TIFF Technical Note 2): each strip or tile is a
// JPEG file without tables, and a tag has the tables of all. Of a page that nobody changed the strips or tiles are
// copied: coded again, its samples would change.

// jpegBlocks are the strips or tiles of a page as they are in its file.
type jpegBlocks struct {
	blocks        [][]byte
	tables        []byte // of all blocks; nil if each has its own
	tiled         bool
	width, height int // of a block
}

// jpegBlocks returns the strips or tiles of a page that was read as a whole, or nil if they do not show it upright.
func (d *tiffDecoder) jpegBlocks() *jpegBlocks {
	if d.turn > 1 || d.lost.first != nil || d.reversed {
		return nil
	}
	b := &jpegBlocks{tables: d.jpegTables, tiled: d.tiled, width: int(d.blockWidth), height: int(d.blockHeight)}
	for _, at := range d.list {
		data := make([]byte, at.size)
		if n, _ := d.file.ReadAt(data, at.at); n < len(data) {
			return nil
		}
		b.blocks = append(b.blocks, data)
	}
	return b
}

// keepsJPEG reports whether a page like that of the layout can be written as JPEG: 8 bits of gray or colour and nothing
// else.
func (l *tiffLayout) keepsJPEG() bool {
	colours := l.photometric == blackIsZero && l.samples == 1 || (l.photometric == rgb || l.photometric == ycbcr) &&
		l.samples == 3
	return l.compression == compressionJPEG && l.bits == 8 && colours && !l.planar && !l.separate
}

// jpegCoding returns the coding of the first strip or tile of a page, as the upright picture has it, or nil if the page
// is not to be written as JPEG. Its tables come before its first scan.
func (l *tiffLayout) jpegCoding(f *tiffFile) *jpegCoding {
	if !l.keepsJPEG() || len(l.list) == 0 {
		return nil
	}
	const most = 1 << 16 // tables and the frame header come first
	head, err := f.bytes(uint64(l.list[0].at), uint64(min(l.list[0].size, most)))
	if err != nil || len(head) < 4 {
		return nil
	}
	h := scanJPEG(head)
	if len(l.jpegTables) > 2 {
		for i, t := range scanJPEG(l.jpegTables).tables {
			if h.tables[i] == nil {
				h.tables[i] = t
			}
		}
	}
	if h.frame == 0 || h.components != byte(l.samples) || len(h.frameBody) < 6+3*int(h.components) {
		return nil
	}
	c := h.coding()
	if c.adobe, c.plain = false, l.photometric != ycbcr; !c.codable() || slices.Contains(c.tables, nil) {
		return nil
	}
	if l.turn.transposed() {
		c = c.transposed()
	}
	return &c
}

var sumSeed = maphash.MakeSeed()

// sum returns a digest of all samples, to tell whether they change.
func (m *Image) sum() uint64 {
	var h maphash.Hash
	h.SetSeed(sumSeed)
	block := make([]byte, 0, 1<<12)
	for _, p := range m.channels() {
		for part := range slices.Chunk(p, cap(block)/4) {
			block = block[:0]
			for _, v := range part {
				block = binary.LittleEndian.AppendUint32(block, math.Float32bits(v))
			}
			h.Write(block)
		}
	}
	return h.Sum64()
}

// writtenAs returns how an image with the metadata is compressed, and how it is coded if that is as JPEG.
func (m *tiffMeta) writtenAs(img *Image, o WriteOptions) (packing, *jpegCoding) {
	p := m.packing.fitting(img.Depth)
	if p.compression != compressionJPEG {
		return p, nil
	}
	n := len(img.channels())
	wide := img.Width > math.MaxUint16 && m.tile == [2]int{}
	same := img.asRead(o)
	if m.jpeg == nil || img.Depth != Depth8 || n != len(m.jpeg.factors) || n != len(img.Planes) ||
		img.stored.photometric != 0 || wide || same && img.stored.jpeg == nil {
		return packing{compressionDeflate, predictorOf(img.Depth)}, nil
	}
	if same {
		return p, m.jpeg
	}
	c := o.coding(*m.jpeg, n)
	return p, &c
}

// asRead reports whether the samples of a page stored as JPEG are those that were read, and are to stay so.
func (m *Image) asRead(o WriteOptions) bool {
	return o.Quality == 0 && m.stored.sum != 0 && m.stored.sum == m.sum()
}

// packJPEG codes all blocks into memory until a context is done, or copies them.
func (p *tiffPlan) packJPEG(ctx context.Context) error {
	if p.copied != nil {
		for i, b := range p.copied.blocks {
			p.counts[i] = uint64(len(b))
		}
		p.packed = bytes.Join(p.copied.blocks, nil)
		return nil
	}
	var b bytes.Buffer
	i := 0
	for y := 0; y < p.img.Height; y += p.height {
		for x := 0; x < p.img.Width; x += p.width {
			if err := ended(ctx); err != nil {
				return err
			}
			from := b.Len()
			if err := p.coding.writeBlock(&b, p.img.blockAt(x, y, p.width, p.rows(y))); err != nil {
				return err
			}
			p.counts[i] = uint64(b.Len() - from)
			i++
		}
	}
	p.packed = b.Bytes()
	return nil
}

// blockAt returns a part of an image. Beyond the edges, the samples there are repeated.
func (m *Image) blockAt(x, y, w, h int) *Image {
	return m.Mapped(w, h, func(_ int, p []float32) []float32 {
		part := make([]float32, 0, w*h)
		for dy := range h {
			row := p[min(y+dy, m.Height-1)*m.Width:][:m.Width]
			inside := min(w, m.Width-x)
			part = append(part, row[x:x+inside]...)
			for range w - inside {
				part = append(part, row[m.Width-1])
			}
		}
		return part
	})
}

// writeBlock writes an image as a JPEG file without tables.
func (c *jpegCoding) writeBlock(w *bytes.Buffer, img *Image) error {
	b := bufio.NewWriter(w)
	b.Write([]byte{0xff, markerSOI})
	c.writeFrame(b, img)
	c.writeScan(b)
	if err := c.encode(context.Background(), b, img, 1); err != nil {
		return err
	}
	b.Write([]byte{0xff, markerEOI})
	return b.Flush()
}

// tablesFile returns the tables of all blocks as a JPEG file.
func (c *jpegCoding) tablesFile() []byte {
	var out bytes.Buffer
	b := bufio.NewWriter(&out)
	b.Write([]byte{0xff, markerSOI})
	c.writeQuantisation(b)
	writeHuffman(b)
	b.Write([]byte{0xff, markerEOI})
	_ = b.Flush() // a Buffer takes all
	return out.Bytes()
}

// jpegTags returns the tags that a page stored as JPEG needs.
func (p *tiffPlan) jpegTags(order binary.ByteOrder) directory {
	tables := p.coding.tablesFile()
	if p.copied != nil {
		tables = p.copied.tables
	}
	var d directory
	if len(tables) > 0 {
		d = directory{{id: tagJPEGTables, typ: typeUndefined, count: uint64(len(tables)), data: tables}}
	}
	if !p.ycbcr() {
		return d
	}
	h, v := p.coding.most()
	limits := tag{id: tagReferenceBW, typ: typeRational, count: 6}
	for _, level := range []uint32{0, 255, 128, 255, 128, 255} {
		limits.data = order.(binary.AppendByteOrder).AppendUint32(limits.data, level)
		limits.data = order.(binary.AppendByteOrder).AppendUint32(limits.data, 1)
	}
	return append(d, numbers(order, tagYCbCrSampling, typeShort, uint64(h), uint64(v)), limits)
}

// ycbcr reports whether the page is stored as luma and chroma.
func (p *tiffPlan) ycbcr() bool { return p.coding != nil && !p.coding.plain && len(p.img.Planes) == 3 }
