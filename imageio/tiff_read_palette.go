package imageio

import "math"

// readColours reads the colour map of a palette. It may have fewer colours than there are indices.
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

// depth returns the depth of the image. Colour maps have 16 bits, but most programs store 8-bit colours v in them, as
// v<<8 or as v*257. Those count as 8 bits.
func (l *tiffLayout) depth() Depth {
	switch {
	case l.photometric == logL || l.photometric == logLuv:
		return DepthFloat32
	case l.photometric != palette:
		return l.fileDepth()
	}
	for _, v := range l.colours {
		if low := v & 0xff; low != 0 && low != v>>8&0xff {
			return Depth16
		}
	}
	return Depth8
}

// putColours looks up palette indices and stores the colours as samples from..to-1 of the planes.
func (d *tiffDecoder) putColours(index func(i int) int, from, to int64) error {
	entries := len(d.colours) / 3
	for c, p := range d.img.Planes {
		table := d.colours[c*entries : (c+1)*entries]
		for i := range p[from:to] {
			at := index(i)
			if at >= entries {
				return damagedf(TIFF, "colour %d of a palette of %d", at, entries)
			}
			v := uint16(min(table[at], math.MaxUint16))
			if d.img.Depth == Depth8 {
				p[from+int64(i)] = unit8(uint8(v >> 8))
			} else {
				p[from+int64(i)] = unit16(v)
			}
		}
	}
	return nil
}
