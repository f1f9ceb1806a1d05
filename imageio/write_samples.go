package imageio

import (
	"encoding/binary"
	"math"
)

// rowSize returns the bytes of a row of the image in a file.
func rowSize(img *Image) int { return (img.Width*len(img.channels())*img.Depth.bits() + 7) / 8 }

// rowsAt returns rows y to y+n-1 of the image. The result shares memory with it.
func (m *Image) rowsAt(y, n int) *Image {
	from, to := y*m.Width, (y+n)*m.Width
	part := m.Mapped(m.Width, n, func(_ int, p []float32) []float32 { return p[from:to] })
	if w := m.stored.wide; len(w) > 0 && len(w[0]) == m.Width*m.Height { // else the image has been given another size
		for _, p := range w {
			part.stored.wide = append(part.stored.wide, p[from:to])
		}
	}
	return part
}

// flip returns the bits of a channel that the file stores inverted: all of an amount of ink or of gray whose zero is
// white, and the sign of a coordinate of Lab colour, whose zero is in the middle of the range.
func (m *Image) flip(channel int) uint32 {
	if m.Depth.kind() != kindUint {
		return 0
	}
	all := uint32(m.Depth.Max())
	switch {
	case m.stored.photometric == 0 && len(m.Planes) == 4 && channel < 4:
		return all
	case m.stored.photometric == whiteIsZero+1 && channel < len(m.Planes):
		return all
	case m.stored.photometric == cieLab+1 && (channel == 1 || channel == 2):
		return all/2 + 1
	}
	return 0
}

// putSamples interleaves the samples of the image into dst in the order of channels. CMYK is stored as amounts of ink.
// Floats are multiplied by white, except alpha. Every row begins at a byte.
func putSamples(dst []byte, img *Image, order binary.ByteOrder, white float64) {
	if img.Depth.bits()%8 != 0 {
		for y := range img.Height {
			packSamples(dst[y*rowSize(img):][:rowSize(img)], img.rowsAt(y, 1))
		}
		return
	}
	channels := img.channels()
	size := img.Depth.bits() / 8
	step := len(channels) * size
	for c, plane := range channels {
		flip := uint16(img.flip(c))
		at := c * size
		switch {
		case img.Depth == Depth8:
			for _, v := range plane {
				dst[at] = byte(quantise(v, math.MaxUint8) ^ flip)
				at += step
			}
		case img.Depth == Depth16:
			for _, v := range plane {
				order.PutUint16(dst[at:], quantise(v, math.MaxUint16)^flip)
				at += step
			}
		default:
			scale := white
			if c == img.alphaChannel() {
				scale = 1
			}
			putWide(dst[at:], step, img, c, order, scale)
		}
	}
}

// putWide stores a channel of floats, or of integers that are signed or longer than 16 bits, in steps of bytes. A
// sample that is the same as when it was read is stored as it was in the file.
func putWide(dst []byte, step int, img *Image, c int, order binary.ByteOrder, scale float64) {
	d, plane, flip := img.Depth, img.channels()[c], img.flip(c)
	var before []float64
	if c < len(img.stored.wide) && (!d.isFloat() || c == img.alphaChannel() || img.stored.white == scale) {
		before = img.stored.wide[c]
	}
	for i, v := range plane {
		var level float64
		if before != nil && unchanged(d.unit(before[i], scale), v) {
			level = before[i]
		} else {
			level = d.level(v, scale)
		}
		if flip != 0 {
			level = float64(uint32(level) ^ flip)
		}
		d.put(dst[i*step:], level, order)
	}
}

// unchanged reports whether two samples are equal, or both no numbers.
func unchanged(a, b float32) bool { return a == b || a != a && b != b }

// packSamples stores a row of integers whose size is no number of bytes, the most significant bit first.
func packSamples(dst []byte, img *Image) {
	clear(dst)
	channels, bits := img.channels(), img.Depth.bits()
	at := 0
	for x := range img.Width {
		for c, plane := range channels {
			v := uint32(img.Depth.level(plane[x], 1))
			if c < len(img.stored.wide) && img.Depth.unit(img.stored.wide[c][x], 1) == plane[x] {
				v = uint32(img.stored.wide[c][x])
			}
			putBits(dst, at, bits, v^img.flip(c))
			at += bits
		}
	}
}

// putBits stores the last n bits of v at a position, where dst is zero.
func putBits(dst []byte, at, n int, v uint32) {
	for n > 0 {
		free := 8 - at%8
		take := min(free, n)
		part := byte(v>>(n-take)) & (1<<take - 1)
		dst[at/8] |= part << (free - take)
		at, n = at+take, n-take
	}
}
