package imageio

import (
	"context"
	"image"
	"image/color"
)

// fromImage copies the result of a decoder of the standard library into planes. Those decoders return gray with alpha
// as NRGBA, so gray and alpha say what the file holds. They return premultiplied types only for opaque pictures.
func fromImage(ctx context.Context, src image.Image, gray, alpha bool, f Format) (*Image, error) {
	planes := 3
	if gray {
		planes = 1
	}
	w, h := src.Bounds().Dx(), src.Bounds().Dy()
	if s, ok := src.(*image.Paletted); ok {
		img := newImage(w, h, planes, alpha, Depth8, f)
		fillPaletted(img, s)
		return img, nil
	}
	r := rasterOf(src)
	if r.pix == nil {
		return nil, damagedf(f, "its decoder returned an unknown type of image")
	}
	img := newImage(w, h, planes, alpha, r.depth, f)
	img.fillFrom(r)
	return img, ended(ctx)
}

// raster is the bytes of an interleaved image, from its first pixel on. Samples of 16 bits are big-endian.
type raster struct {
	pix              []byte
	stride, channels int
	depth            Depth
}

// rasterOf returns no bytes for other types of image.
func rasterOf(src image.Image) raster {
	at := src.Bounds().Min
	switch s := src.(type) {
	case *image.Gray:
		return raster{s.Pix[s.PixOffset(at.X, at.Y):], s.Stride, 1, Depth8}
	case *image.Gray16:
		return raster{s.Pix[s.PixOffset(at.X, at.Y):], s.Stride, 1, Depth16}
	case *image.RGBA:
		return raster{s.Pix[s.PixOffset(at.X, at.Y):], s.Stride, 4, Depth8}
	case *image.CMYK:
		return raster{s.Pix[s.PixOffset(at.X, at.Y):], s.Stride, 4, Depth8}
	case *image.NRGBA:
		return raster{s.Pix[s.PixOffset(at.X, at.Y):], s.Stride, 4, Depth8}
	case *image.RGBA64:
		return raster{s.Pix[s.PixOffset(at.X, at.Y):], s.Stride, 4, Depth16}
	case *image.NRGBA64:
		return raster{s.Pix[s.PixOffset(at.X, at.Y):], s.Stride, 4, Depth16}
	}
	return raster{}
}

// fillFrom copies the samples of a raster. Alpha is the last of its channels.
func (m *Image) fillFrom(r raster) {
	size := int(r.depth) / 8
	for i, p := range m.Planes {
		fillPlane(p, m.Width, r.pix[i*size:], r.stride, r.channels, r.depth)
	}
	if m.Alpha != nil {
		fillPlane(m.Alpha, m.Width, r.pix[(r.channels-1)*size:], r.stride, r.channels, r.depth)
	}
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
