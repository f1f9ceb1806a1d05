package imageio

import (
	"image"
	"image/color"
	"math"
)

// fromImage spreads what a stock decoder gave over planes. The decoders widen gray with alpha to
// NRGBA, so gray and alpha say what the file held. Premultiplied types are taken for their opaque
// form only, which is how the decoders use them.
func fromImage(src image.Image, gray, alpha bool, f Format) *Image {
	planes := 3
	if gray {
		planes = 1
	}
	_, inks := src.(*image.CMYK)
	if inks {
		planes = 4
	}
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	switch s := src.(type) {
	case *image.YCbCr:
		img := newImage(w, h, planes, false, Depth8, f)
		fillYCbCr(img, s)
		return img
	case *image.Paletted:
		palette, depth := straightPalette(s.Palette)
		img := newImage(w, h, planes, alpha, depth, f)
		fillPaletted(img, s, palette)
		return img
	}
	pix, stride, channels, depth := rasterOf(src)
	img := newImage(w, h, planes, alpha, depth, f)
	for i, p := range img.Planes {
		fillPlane(p, w, pix[i*int(depth)/8:], stride, channels, depth)
		if inks {
			invert8(p)
		}
	}
	if alpha {
		fillPlane(img.Alpha, w, pix[(channels-1)*int(depth)/8:], stride, channels, depth)
	}
	return img
}

// rasterOf gives the bytes of the interleaved image types; 16-bit samples are big-endian.
func rasterOf(src image.Image) (pix []byte, stride, channels int, d Depth) {
	switch s := src.(type) {
	case *image.Gray:
		return s.Pix, s.Stride, 1, Depth8
	case *image.Gray16:
		return s.Pix, s.Stride, 1, Depth16
	case *image.RGBA:
		return s.Pix, s.Stride, 4, Depth8
	case *image.CMYK:
		return s.Pix, s.Stride, 4, Depth8
	case *image.NRGBA:
		return s.Pix, s.Stride, 4, Depth8
	case *image.RGBA64:
		return s.Pix, s.Stride, 4, Depth16
	case *image.NRGBA64:
		return s.Pix, s.Stride, 4, Depth16
	}
	panic("imageio: decoder returned an unknown image type")
}

// fillPlane copies one channel of interleaved samples; pix starts with its first sample.
func fillPlane(dst []float32, w int, pix []byte, stride, channels int, d Depth) {
	step := channels * int(d) / 8
	for y := 0; y < len(dst)/w; y++ {
		row, out := pix[y*stride:], dst[y*w:(y+1)*w]
		if d == Depth8 {
			for x := range out {
				out[x] = unit8(row[x*step])
			}
			continue
		}
		for x := range out {
			out[x] = unit16(uint16(row[x*step])<<8 | uint16(row[x*step+1]))
		}
	}
}

// invert8 turns amounts of ink over into light.
func invert8(p []float32) {
	for i, v := range p {
		p[i] = unit8(math.MaxUint8 - uint8(quantise(v, math.MaxUint8)))
	}
}

func fillYCbCr(img *Image, s *image.YCbCr) {
	for y := range img.Height {
		for x := range img.Width {
			yi, ci := s.YOffset(s.Rect.Min.X+x, s.Rect.Min.Y+y), s.COffset(s.Rect.Min.X+x, s.Rect.Min.Y+y)
			r, g, b := color.YCbCrToRGB(s.Y[yi], s.Cb[ci], s.Cr[ci])
			i := y*img.Width + x
			img.Planes[0][i], img.Planes[1][i], img.Planes[2][i] = unit8(r), unit8(g), unit8(b)
		}
	}
}

func fillPaletted(img *Image, s *image.Paletted, palette []color.NRGBA64) {
	unit := func(v uint16) float32 {
		if img.Depth == Depth8 {
			return unit8(uint8(v >> 8))
		}
		return unit16(v)
	}
	// A TIFF index is 8 bits and checked by the decoder; opaque black stands in for a gap.
	var table [256][4]float32
	for i := range table {
		table[i][3] = 1
	}
	for i, c := range palette {
		table[i] = [4]float32{unit(c.R), unit(c.G), unit(c.B), unit(c.A)}
	}
	channels := img.channels()
	for y := range img.Height {
		for x := range img.Width {
			entry := &table[s.Pix[y*s.Stride+x]]
			for c, p := range channels {
				p[y*img.Width+x] = entry[c]
			}
		}
	}
}

// straightPalette undoes no premultiplication: entries are opaque or NRGBA. Colour maps in TIFF have
// 16 bits; most programs fill them with 8-bit colours, as v<<8 or as v*257, and those count as 8 bits.
func straightPalette(p color.Palette) ([]color.NRGBA64, Depth) {
	out := make([]color.NRGBA64, len(p))
	depth := Depth8
	for i, c := range p {
		if n, ok := c.(color.NRGBA); ok {
			out[i] = color.NRGBA64{R: uint16(n.R) * 257, G: uint16(n.G) * 257, B: uint16(n.B) * 257, A: uint16(n.A) * 257}
			continue
		}
		r, g, b, _ := c.RGBA()
		out[i] = color.NRGBA64{R: uint16(r), G: uint16(g), B: uint16(b), A: 0xffff}
		for _, v := range []uint32{r, g, b} {
			if low := v & 0xff; low != 0 && low != v>>8 {
				depth = Depth16
			}
		}
	}
	return out, depth
}
