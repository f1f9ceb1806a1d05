package imageio

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
)

// maxConverted is the largest number of pixels that FromImage takes.
const maxConverted = 1 << 30

// FromImage returns the pixels of an image of the standard library, or of any other, as planes. Gray images give one
// plane, CMYK gives four, all others three. Alpha is separated from the colours, and nil if the image is opaque. The
// depth is 8 or 16 bits, as the colour model of the image says. The image has no Format, so WriteOptions has to name
// one.
//
// An empty image, or one whose pixels do not fill its bounds, is an ErrFormat; one of more than 2^30 pixels is an
// ErrLimit; nil is an ErrArgument.
func FromImage(src image.Image) (img *Image, err error) {
	defer func() {
		if r := recover(); r != nil { // a nil pointer in the interface, or too few pixels
			img, err = nil, fmt.Errorf("%w: pixels do not fill the bounds of a %T", ErrFormat, src)
		}
	}()
	if src == nil {
		return nil, failf(ErrArgument, "no image")
	}
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	switch {
	case w < 1 || h < 1:
		return nil, fmt.Errorf("%w: %d x %d pixels", ErrFormat, w, h)
	case w > maxConverted || h > maxConverted || int64(w)*int64(h) > maxConverted:
		return nil, fmt.Errorf("%w: %d x %d pixels", ErrLimit, w, h)
	}
	r := rasterOf(src)
	switch s := src.(type) {
	case *image.Gray, *image.Gray16:
		img = newImage(w, h, 1, noAlpha, r.depth, 0)
		img.fillFrom(r)
	case *image.NRGBA, *image.NRGBA64:
		img = newImage(w, h, 3, withAlpha, r.depth, 0)
		img.fillFrom(r)
	case *image.RGBA, *image.RGBA64:
		img = newImage(w, h, 3, withAlpha, r.depth, 0)
		img.fillFrom(r)
		img.unpremultiply()
	case *image.CMYK:
		img = newImage(w, h, 4, noAlpha, r.depth, 0)
		img.fillFrom(r)
		img.invert8()
	case *image.YCbCr:
		img = newImage(w, h, 3, noAlpha, Depth8, 0)
		img.fillYCbCr(s)
	default:
		img = fromAny(src)
	}
	img.dropOpaqueAlpha()
	return img, nil
}

// fillYCbCr converts each pixel with the nearest chroma sample, as the standard library does.
func (m *Image) fillYCbCr(s *image.YCbCr) {
	i := 0
	for y := s.Rect.Min.Y; y < s.Rect.Max.Y; y++ {
		for x := s.Rect.Min.X; x < s.Rect.Max.X; x++ {
			c := s.COffset(x, y)
			r, g, b := color.YCbCrToRGB(s.Y[s.YOffset(x, y)], s.Cb[c], s.Cr[c])
			m.Planes[0][i], m.Planes[1][i], m.Planes[2][i] = unit8(r), unit8(g), unit8(b)
			i++
		}
	}
}

// invert8 turns amounts of ink into light.
func (m *Image) invert8() {
	for _, p := range m.Planes {
		for i, v := range p {
			p[i] = unit8(math.MaxUint8 - uint8(quantise(v, math.MaxUint8)))
		}
	}
}

// unpremultiply divides the colours by alpha. Where alpha is 0 they stay black.
func (m *Image) unpremultiply() {
	for _, p := range m.Planes {
		for i, a := range m.Alpha {
			if a > 0 {
				p[i] = min(1, p[i]/a)
			}
		}
	}
}

// opaque says whether the image has no alpha, or an alpha plane of ones.
func (m *Image) opaque() bool {
	return !slices.ContainsFunc(m.Alpha, func(a float32) bool { return a != 1 })
}

// dropOpaqueAlpha removes an alpha plane of ones.
func (m *Image) dropOpaqueAlpha() {
	if m.opaque() {
		m.Alpha = nil
	}
}

// fromAny asks an image for each pixel.
func fromAny(src image.Image) *Image {
	planes, depth := 3, Depth16
	switch model := src.ColorModel(); model {
	case color.GrayModel:
		planes, depth = 1, Depth8
	case color.Gray16Model:
		planes = 1
	case color.RGBAModel, color.NRGBAModel, color.YCbCrModel, color.NYCbCrAModel, color.CMYKModel, color.AlphaModel:
		depth = Depth8
	default:
		if p, ok := model.(color.Palette); ok {
			planes, depth = palettePlanes(p)
		}
	}
	b := src.Bounds()
	img := newImage(b.Dx(), b.Dy(), planes, withAlpha, depth, 0)
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := straight(src.At(x, y))
			img.Planes[0][i] = img.unit(c.R)
			if planes == 3 {
				img.Planes[1][i], img.Planes[2][i] = img.unit(c.G), img.unit(c.B)
			}
			img.Alpha[i] = img.unit(c.A)
			i++
		}
	}
	return img
}

// straight returns a colour that is not multiplied by alpha. Palettes of PNG files and pictures of WebP files have such
// colours. Convert would multiply them, and lose those of transparent pixels.
func straight(c color.Color) color.NRGBA64 {
	switch c := c.(type) {
	case color.NYCbCrA:
		r, g, b := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
		return straight(color.NRGBA{R: r, G: g, B: b, A: c.A})
	case color.NRGBA:
		return color.NRGBA64{R: uint16(c.R) * 257, G: uint16(c.G) * 257, B: uint16(c.B) * 257, A: uint16(c.A) * 257}
	}
	return color.NRGBA64Model.Convert(c).(color.NRGBA64)
}

// unit returns a 16-bit sample on the scale of planes, rounded to the depth of the image.
func (m *Image) unit(v uint16) float32 {
	if m.Depth == Depth8 {
		return unit8(uint8(v >> 8))
	}
	return unit16(v)
}

// palettePlanes returns one plane for a palette of grays, and 16 bits if it has a 16-bit colour.
func palettePlanes(p color.Palette) (planes int, depth Depth) {
	planes, depth = 1, Depth8
	for _, c := range p {
		switch c.(type) {
		case color.Gray16, color.RGBA64, color.NRGBA64:
			depth = Depth16
		}
		if c := straight(c); c.R != c.G || c.G != c.B {
			planes = 3
		}
	}
	return planes, depth
}

// ToImage returns the pixels as an image of the standard library, with bounds from (0, 0): *image.Gray or *image.Gray16
// for gray images without alpha, *image.CMYK for four planes, and else *image.NRGBA or *image.NRGBA64. Samples are
// rounded and clipped; float images become 16-bit ones. Extra planes are left out, and so is the alpha of four planes.
// An image that is not valid gives the error of Encode.
func (m *Image) ToImage() (image.Image, error) {
	if m == nil {
		return nil, failf(ErrArgument, "no image")
	}
	if err := cmp.Or(m.check(), checkFinite(m)); err != nil {
		return nil, err
	}
	r := image.Rect(0, 0, m.Width, m.Height)
	m = m.simple()
	wide := m.Depth == Depth16
	switch {
	case len(m.Planes) == 4:
		out := image.NewCMYK(r)
		for c, p := range m.Planes {
			for i, v := range p {
				out.Pix[4*i+c] = 255 - uint8(quantise(v, 255))
			}
		}
		return out, nil
	case len(m.Planes) == 1 && m.Alpha == nil && wide:
		out := image.NewGray16(r)
		put16(out.Pix, m.Planes[0], 0, 1)
		return out, nil
	case len(m.Planes) == 1 && m.Alpha == nil:
		out := image.NewGray(r)
		put8(out.Pix, m.Planes[0], 0, 1)
		return out, nil
	case wide:
		out := image.NewNRGBA64(r)
		m.putColours(out.Pix, put16)
		return out, nil
	}
	out := image.NewNRGBA(r)
	m.putColours(out.Pix, put8)
	return out, nil
}

// putColours writes red, green, blue and alpha into interleaved samples.
func (m *Image) putColours(pix []byte, put func(pix []byte, p []float32, channel, channels int)) {
	for c := range 3 {
		put(pix, m.Planes[min(c, len(m.Planes)-1)], c, 4)
	}
	alpha := m.Alpha
	if alpha == nil {
		alpha = make([]float32, m.Width*m.Height)
		for i := range alpha {
			alpha[i] = 1
		}
	}
	put(pix, alpha, 3, 4)
}

// put8 writes a plane as one channel of interleaved 8-bit samples.
func put8(pix []byte, p []float32, channel, channels int) {
	for i, v := range p {
		pix[i*channels+channel] = uint8(quantise(v, 255))
	}
}

// put16 writes a plane as one channel of interleaved 16-bit samples.
func put16(pix []byte, p []float32, channel, channels int) {
	for i, v := range p {
		q := quantise(v, 65535)
		at := 2 * (i*channels + channel)
		pix[at], pix[at+1] = byte(q>>8), byte(q)
	}
}
