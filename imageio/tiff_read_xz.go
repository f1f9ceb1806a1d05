package imageio

import (
	"bufio"
	"io"
	"math"

	"github.com/ulikunitz/xz/lzma"
)

// openXZ returns a reader of the first block of an xz file ("The .xz File Format", version 1.2.1), which is what
// libtiff writes for LZMA. Of the filters before LZMA2 it knows the difference of bytes, which libtiff always uses. No
// more than size bytes are needed.
func openXZ(r *bufio.Reader, size int64) (io.Reader, error) {
	const head = 12
	p, err := r.Peek(head + 1)
	if err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	if string(p[:6]) != "\xfd7zXZ\x00" || p[head] == 0 {
		return nil, damagedf(TIFF, "no xz data")
	}
	end := head + 4*(int(p[head])+1)
	if p, err = r.Peek(end); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	distances, window, ok := xzFilters(p[head+1 : end-4])
	if !ok {
		return nil, unsupportedTIFF("other xz filters than LZMA2 and delta")
	}
	r.Discard(end)
	z, err := lzma.Reader2Config{DictCap: max(lzma.MinDictCap, int(min(window, size, maxWindow)))}.NewReader2(r)
	if err != nil {
		return nil, err
	}
	out := io.Reader(z)
	for i := len(distances) - 1; i >= 0; i-- {
		out = &xzDelta{r: out, before: make([]byte, distances[i])}
	}
	return out, nil
}

// xzFilters reads the header of a block: the distances of its delta filters and the window of LZMA2.
func xzFilters(p []byte) (distances []int, window int64, ok bool) {
	if len(p) == 0 {
		return nil, 0, false
	}
	flags := p[0]
	p = p[1:]
	number := func() int { // of 7 bits in each byte
		v := 0
		for shift := 0; shift < 35 && len(p) > 0; shift += 7 {
			b := p[0]
			p = p[1:]
			v |= int(b&0x7f) << shift
			if b < 0x80 {
				return v
			}
		}
		return -1
	}
	for _, bit := range []byte{0x40, 0x80} { // sizes
		if flags&bit != 0 {
			number()
		}
	}
	for range flags&3 + 1 {
		id, size := number(), number()
		if size != 1 || len(p) < 1 {
			return nil, 0, false
		}
		switch v := int(p[0]); {
		case id == 3:
			distances = append(distances, v+1)
		case id == 0x21 && v <= 40:
			window = math.MaxUint32
			if v < 40 {
				window = int64(2|v&1) << (v/2 + 11)
			}
		default:
			return nil, 0, false
		}
		p = p[1:]
	}
	return distances, window, window > 0
}

// xzDelta adds to each byte the one at a distance before it.
type xzDelta struct {
	r      io.Reader
	before []byte // the last bytes, in a ring
	at     int
}

func (d *xzDelta) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	for i := range p[:n] {
		p[i] += d.before[d.at]
		d.before[d.at] = p[i]
		d.at = (d.at + 1) % len(d.before)
	}
	return n, err
}
