package imageio

import (
	"encoding/binary"
	"math"
)

// unpredict undoes the predictor of the current row and gives the byte order that its samples then have.
// Predictor 2 is that of TIFF 6.0, section 14, for floats applied to their bits; predictor 3 is that of
// Adobe Photoshop TIFF Technical Note 3 (2005): the first bytes of all samples, then the second ones and
// so on, all as differences.
func (d *tiffDecoder) unpredict(samples int) binary.ByteOrder {
	switch d.predictor {
	case predictorHorizontal:
		sumSamples(d.row, samples, int(d.bits)/8, d.order)
	case predictorFloat:
		sumSamples(d.row, samples, 1, nil)
		d.shuffle = append(d.shuffle[:0], d.row...)
		n := len(d.row) / 4
		for i := range n {
			for b := range 4 {
				d.row[4*i+b] = d.shuffle[b*n+i]
			}
		}
		return binary.BigEndian
	}
	return d.order
}

// sumSamples adds to each sample of size bytes the one of the pixel before.
func sumSamples(row []byte, samples, size int, order binary.ByteOrder) {
	step := samples * size
	switch size {
	case 1:
		for i := step; i < len(row); i++ {
			row[i] += row[i-step]
		}
	case 2:
		for i := step; i+2 <= len(row); i += 2 {
			order.PutUint16(row[i:], order.Uint16(row[i:])+order.Uint16(row[i-step:]))
		}
	case 4:
		for i := step; i+4 <= len(row); i += 4 {
			order.PutUint32(row[i:], order.Uint32(row[i:])+order.Uint32(row[i-step:]))
		}
	}
}

// predict is the inverse, for rows that are written: predictor 2 for integers of 1 or 2 bytes, 3 for floats.
func predict(row, memory []byte, samples, size int, order binary.ByteOrder) {
	step := samples * size
	switch size {
	case 1:
		for i := len(row) - 1; i >= step; i-- {
			row[i] -= row[i-step]
		}
	case 2:
		for i := len(row) - 2; i >= step; i -= 2 {
			order.PutUint16(row[i:], order.Uint16(row[i:])-order.Uint16(row[i-step:]))
		}
	case 4:
		n := len(row) / 4
		for i := range n {
			v := order.Uint32(row[4*i:])
			for b := range 4 {
				memory[b*n+i] = byte(v >> (24 - 8*b))
			}
		}
		copy(row, memory)
		predict(row, nil, samples, 1, nil)
	}
}

// readColours takes in the colour map of a palette, which may be shorter than indices allow for.
func (l *tiffLayout) readColours(dir *ifd) error {
	if l.photometric != palette {
		return nil
	}
	most := uint64(3) << l.bits
	n := dir.count(tagColorMap)
	if n == 0 || n%3 != 0 || n > most {
		return damagedf(TIFF, "colour map of %d values instead of %d", n, most)
	}
	var err error
	l.colours, err = dir.uints(tagColorMap, most)
	return err
}

// depth of the image. Colour maps have 16 bits; most programs fill them with 8-bit colours, as v<<8 or as
// v*257, and those count as 8 bits.
func (l *tiffLayout) depth() Depth {
	if l.photometric != palette {
		return Depth(max(l.bits, 8))
	}
	for _, v := range l.colours {
		if low := v & 0xff; low != 0 && low != v>>8&0xff {
			return Depth16
		}
	}
	return Depth8
}

// putColours looks a row of indices up.
func (d *tiffDecoder) putColours(from, to int64) error {
	row := d.row
	if d.bits < 8 {
		row = d.widen(1)
	}
	entries := len(d.colours) / 3
	for c, p := range d.channels {
		table := d.colours[c*entries : (c+1)*entries]
		for i := range p[from:to] {
			if int(row[i]) >= entries {
				return damagedf(TIFF, "colour %d of a palette of %d", row[i], entries)
			}
			v := uint16(min(table[row[i]], math.MaxUint16))
			if d.img.Depth == Depth8 {
				p[from+int64(i)] = unit8(uint8(v >> 8))
			} else {
				p[from+int64(i)] = unit16(v)
			}
		}
	}
	return nil
}
