package imageio

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

const (
	// deflateWindow is the distance in bytes that Deflate can refer back.
	deflateWindow = 1 << 15
	// A strip has a quarter of the bytes of the image, within these limits. Small images should also use several
	// processors, and each strip costs the tables of a compressor.
	pngLeastStrip, pngMostStrip = 1 << 16, 1 << 19
	// pngMostAtOnce limits the memory on machines with many processors.
	pngMostAtOnce = 16
)

// writePixels writes one zlib stream, with a chunk for each strip. Strips are compressed in parallel. Each has the end
// of the strip before it as a dictionary, so almost nothing is lost at the borders. The borders depend on the image
// alone, so the bytes are the same for any number of processors.
func writePixels(w io.Writer, img *Image, o WriteOptions) error {
	size := 1 + rowSize(img)
	rows := max(1, min(max(img.Height*size/4, pngLeastStrip), pngMostStrip)/size)
	p := pngPacker{ctx: running(o.Context), img: img, scratch: make([]*filters, parallel.Workers(o.Workers))}
	batch := make([]pngStrip, min(4*len(p.scratch), pngMostAtOnce))
	body, sum := []byte{0x78, 0x9c}, adler32.New() // Deflate with a window of 32 KB
	for from := 0; from < img.Height; {
		n := 0
		for ; n < len(batch) && from < img.Height; n++ {
			batch[n].from, batch[n].to = from, min(from+rows, img.Height)
			from = batch[n].to
		}
		if err := p.pack(batch[:n]); err != nil {
			return err
		}
		for i := range batch[:n] {
			sum.Write(batch[i].lines)
			body = append(body, batch[i].packed.Bytes()...)
			if batch[i].to == img.Height {
				body = sum.Sum(body)
			}
			if err := writeChunk(w, "IDAT", body); err != nil {
				return err
			}
			body = body[:0]
		}
	}
	return nil
}

// pngStrip is a range of rows that are filtered and compressed together.
type pngStrip struct {
	from, to int
	lines    []byte // filtered
	packed   bytes.Buffer
}

// pngPacker compresses a few strips at a time.
type pngPacker struct {
	ctx     context.Context
	img     *Image
	scratch []*filters // one for each worker
	before  []byte     // the end of the last strip of the call before
}

// pack compresses strips that follow each other and those of the call before.
func (p *pngPacker) pack(strips []pngStrip) error {
	if err := parallel.For(p.ctx, len(p.scratch), len(strips),
		func(worker, i int) { p.filter(worker, &strips[i]) }); err != nil {
		return err
	}
	errs := make([]error, len(strips))
	err := parallel.For(p.ctx, len(p.scratch), len(strips), func(_, i int) {
		before := p.before
		if i > 0 {
			before = strips[i-1].end()
		}
		errs[i] = strips[i].deflate(before, strips[i].to == p.img.Height)
	})
	p.before = slices.Clone(strips[len(strips)-1].end())
	return cmp.Or(err, errors.Join(errs...))
}

// filter computes the filtered lines of a strip.
func (p *pngPacker) filter(worker int, s *pngStrip) {
	f := p.scratch[worker]
	if f == nil {
		f = newFilters(rowSize(p.img), max(1, len(p.img.channels())*p.img.Depth.bits()/8))
		p.scratch[worker] = f
	}
	clear(f.row)
	s.lines = s.lines[:0]
	for y := max(0, s.from-1); y < s.to; y++ {
		putSamples(f.next(), p.img.rowsAt(y, 1), binary.BigEndian, 1)
		if y >= s.from {
			s.lines = append(s.lines, f.best()...)
		}
	}
}

// end returns the last bytes of the strip, which the compressor of the next strip can refer to.
func (s *pngStrip) end() []byte { return s.lines[max(0, len(s.lines)-deflateWindow):] }

// repeats is the level of the search for repetitions. The highest ones take four times as long for 2 % fewer bytes.
const repeats = 7

// deflate compresses the lines. Unless the strip is the last, the compressed data ends on a byte boundary. The lines of
// smooth photographs hardly repeat each other: a Huffman code alone often gives fewer bytes.
func (s *pngStrip) deflate(before []byte, last bool) error {
	if err := s.deflateAt(flate.HuffmanOnly, nil, last); err != nil {
		return err
	}
	codes := bytes.Clone(s.packed.Bytes())
	if err := s.deflateAt(repeats, before, last); err != nil || s.packed.Len() < len(codes) {
		return err
	}
	s.packed.Reset()
	_, err := s.packed.Write(codes)
	return err
}

func (s *pngStrip) deflateAt(level int, before []byte, last bool) error {
	s.packed.Reset()
	z, err := flate.NewWriterDict(&s.packed, level, before)
	if err != nil {
		return err
	}
	if _, err := z.Write(s.lines); err != nil {
		return err
	}
	if last {
		return z.Close()
	}
	return z.Flush()
}
