package imageio

import (
	"context"
	"image"
	"image/color"
	"math"
)

// fromImage copies the result of a decoder of the standard library into planes. Those decoders return gray with alpha
// as NRGBA, so gray and alpha say what the file holds. They return premultiplied types only for opaque pictures.
func fromImage(ctx context.Context, src image.Image, gray, alpha bool, f Format) (*Image, error) {
	planes := 3
	if gray {
		planes = 1
	}
	_, cmyk := src.(*image.CMYK)
	if cmyk {
		planes = 4
	}
	w, h := src.Bounds().Dx(), src.Bounds().Dy()
	if s, ok := src.(*image.Paletted); ok {
		img := newImage(w, h, planes, alpha, Depth8, f)
		fillPaletted(img, s)
		return img, nil
	}
	pix, stride, channels, depth := rasterOf(src)
	if pix == nil {
		return nil, damagedf(f, "its decoder returned an unknown type of image")
	}
	img := newImage(w, h, planes, alpha, depth, f)
	for i, p := range img.Planes {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		fillPlane(p, w, pix[i*int(depth)/8:], stride, channels, depth)
		if cmyk {
			invert8(p)
		}
	}
	if alpha {
		fillPlane(img.Alpha, w, pix[(channels-1)*int(depth)/8:], stride, channels, depth)
	}
	return img, nil
}

// rasterOf returns the bytes of an interleaved image. Samples of 16 bits are big-endian.
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
	return nil, 0, 0, 0
}

// fillPlane copies one channel of interleaved samples. pix starts with the first sample of that channel.
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

// invert8 turns amounts of ink into light.
func invert8(p []float32) {
	for i, v := range p {
		p[i] = unit8(math.MaxUint8 - uint8(quantise(v, math.MaxUint8)))
	}
}

// fillPaletted looks up the indices of a palette PNG. Entries that the palette lacks are opaque black.
func fillPaletted(img *Image, s *image.Paletted) {
	var table [256][4]float32
	for i := range table {
		table[i][3] = 1
	}
	for i, c := range s.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA) // exact, because entries are NRGBA or opaque
		table[i] = [4]float32{unit8(n.R), unit8(n.G), unit8(n.B), unit8(n.A)}
	}
	for c, p := range img.channels() {
		if c == len(img.Planes) {
			c = 3 // alpha
		}
		for y := range img.Height {
			for x, index := range s.Pix[y*s.Stride:][:img.Width] {
				p[y*img.Width+x] = table[index][c]
			}
		}
	}
}
