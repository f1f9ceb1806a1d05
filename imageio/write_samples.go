package imageio

import (
	"encoding/binary"
	"math"
)

// rowSize returns the bytes of a row of the image in a file.
func rowSize(img *Image) int { return img.Width * len(img.channels()) * int(img.Depth) / 8 }

// rowsAt returns rows y to y+n-1 of the image. The result shares memory with it.
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

// putSamples interleaves the samples of the image into dst, alpha last. CMYK is stored as amounts of ink. Floats are
// multiplied by white, except alpha.
func putSamples(dst []byte, img *Image, order binary.ByteOrder, white float64) {
	channels := img.channels()
	size, top := int(img.Depth)/8, img.Depth.max()
	ink := uint16(0)
	if len(img.Planes) == 4 {
		ink = uint16(top)
	}
	for c, plane := range channels {
		scale := white
		if c == len(img.Planes) { // alpha
			scale = 1
		}
		at := c * size
		for _, v := range plane {
			switch img.Depth {
			case Depth8:
				dst[at] = byte(quantise(v, top) ^ ink)
			case Depth16:
				order.PutUint16(dst[at:], quantise(v, top)^ink)
			case DepthFloat32:
				order.PutUint32(dst[at:], math.Float32bits(float32(float64(v)*scale)))
			}
			at += len(channels) * size
		}
	}
}
