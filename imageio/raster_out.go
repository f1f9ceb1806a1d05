package imageio

import (
	"image"
	"image/jpeg"
	"io"
)

// toImage quantises the planes into an image type that the stock encoders take as it is: gray,
// or straight RGBA. Gray with alpha becomes RGBA with equal channels.
func (m *Image) toImage(d Depth) image.Image {
	box := image.Rect(0, 0, m.Width, m.Height)
	gray := len(m.Planes) == 1 && m.Alpha == nil
	switch {
	case gray && d == Depth8:
		s := image.NewGray(box)
		m.interleave(s.Pix, 1, d)
		return s
	case gray:
		s := image.NewGray16(box)
		m.interleave(s.Pix, 1, d)
		return s
	case d == Depth8:
		s := image.NewNRGBA(box)
		m.interleave(s.Pix, 4, d)
		return s
	}
	s := image.NewNRGBA64(box)
	m.interleave(s.Pix, 4, d)
	return s
}

// interleave writes channels samples a pixel, 16-bit ones big-endian; four are RGBA.
func (m *Image) interleave(pix []byte, channels int, d Depth) {
	for c := range channels {
		var plane []float32 // nil: opaque
		if c < 3 {
			plane = m.Planes[min(c, len(m.Planes)-1)]
		} else {
			plane = m.Alpha
		}
		for i := range m.Width * m.Height {
			q := uint16(d.max())
			if plane != nil {
				q = quantise(plane[i], d.max())
			}
			if at := i*channels + c; d == Depth8 {
				pix[at] = byte(q)
			} else {
				pix[2*at], pix[2*at+1] = byte(q>>8), byte(q)
			}
		}
	}
}

// encodeJPEG passes the bytes of an opaque image as RGBA, which is the same as NRGBA then and the
// type that the encoder is fast for.
func encodeJPEG(w io.Writer, img *Image, quality int) error {
	src := img.toImage(Depth8)
	if n, ok := src.(*image.NRGBA); ok {
		src = &image.RGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}
	}
	return jpeg.Encode(w, src, &jpeg.Options{Quality: quality})
}
