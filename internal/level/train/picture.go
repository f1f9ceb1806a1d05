package main

import (
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// picture holds one gray or three colour planes of width x height samples, 1 being white. Samples may leave 0..1 unless
// the picture has been through quantise.
type picture struct {
	width, height int
	planes        [][]float32
}

func newPicture(width, height, planes int) *picture {
	p := &picture{width: width, height: height}
	for range planes {
		p.planes = append(p.planes, make([]float32, width*height))
	}
	return p
}

func (p *picture) clone() *picture {
	q := newPicture(p.width, p.height, len(p.planes))
	for i := range p.planes {
		copy(q.planes[i], p.planes[i])
	}
	return q
}

// each replaces every sample.
func (p *picture) each(f func(v float64) float64) {
	for _, plane := range p.planes {
		for i, v := range plane {
			plane[i] = float32(f(float64(v)))
		}
	}
}

// crop returns the part of at most width x height samples whose upper left corner is at x, y.
func (p *picture) crop(x, y, width, height int) *picture {
	width, height = min(width, p.width-x), min(height, p.height-y)
	q := newPicture(width, height, len(p.planes))
	for i, plane := range p.planes {
		for row := range height {
			copy(q.planes[i][row*width:][:width], plane[(y+row)*p.width+x:])
		}
	}
	return q
}

// centre returns the middle of the picture, side samples wide and high if it has so many.
func (p *picture) centre(side int) *picture {
	width, height := min(side, p.width), min(side, p.height)
	return p.crop((p.width-width)/2, (p.height-height)/2, width, height)
}

// gray returns the BT.601 luma.
func (p *picture) gray() *picture {
	if len(p.planes) == 1 {
		return p.clone()
	}
	q := newPicture(p.width, p.height, 1)
	for i := range q.planes[0] {
		q.planes[0][i] = 0.299*p.planes[0][i] + 0.587*p.planes[1][i] + 0.114*p.planes[2][i]
	}
	return q
}

// quantise rounds the samples to 8 bits, in place.
func (p *picture) quantise() *picture {
	p.each(func(v float64) float64 { return float64(toByte(v)) / 255 })
	return p
}

func toByte(v float64) uint8 { return uint8(min(max(v*255, 0), 255) + 0.5) }

// load reads a PNG or JPEG file. The chroma of JPEG files is interpolated as libjpeg does it, since the reference
// pictures of real pairs were read that way.
func load(path string) (*picture, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if strings.EqualFold(filepath.Ext(path), ".png") {
		return decodePNG(f)
	}
	p, err := decodeJPEG(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func decodeJPEG(r io.Reader) (*picture, error) {
	img, err := jpeg.Decode(r)
	if err != nil {
		return nil, err
	}
	ycc, ok := img.(*image.YCbCr)
	if !ok || ycc.SubsampleRatio != image.YCbCrSubsampleRatio420 {
		return nil, errors.New("not a colour JPEG file with chroma at half the size")
	}
	b := ycc.Bounds()
	half := image.Pt((b.Dx()+1)/2, (b.Dy()+1)/2)
	cb := upsample(ycc.Cb, ycc.CStride, half.X, half.Y)
	cr := upsample(ycc.Cr, ycc.CStride, half.X, half.Y)
	p := newPicture(b.Dx(), b.Dy(), 3)
	for y := range p.height {
		for x := range p.width {
			i, c := y*p.width+x, y*2*half.X+x
			r, g, bl := toRGB(float64(ycc.Y[y*ycc.YStride+x]), float64(cb[c]), float64(cr[c]))
			p.planes[0][i], p.planes[1][i], p.planes[2][i] = r, g, bl
		}
	}
	return p.quantise(), nil
}

func decodePNG(r io.Reader) (*picture, error) {
	img, err := png.Decode(r)
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	if g, ok := img.(*image.Gray); ok {
		p := newPicture(b.Dx(), b.Dy(), 1)
		for i := range p.planes[0] {
			p.planes[0][i] = float32(g.Pix[i/p.width*g.Stride+i%p.width]) / 255
		}
		return p, nil
	}
	rgb := image.NewNRGBA(b)
	draw.Draw(rgb, b, img, b.Min, draw.Src)
	p := newPicture(b.Dx(), b.Dy(), 3)
	for i := range p.planes[0] {
		at := i/p.width*rgb.Stride + i%p.width*4
		for c := range 3 {
			p.planes[c][i] = float32(rgb.Pix[at+c]) / 255
		}
	}
	return p, nil
}

// save writes an 8-bit PNG file.
func (p *picture) save(path string) error {
	img := image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	for i := range p.planes[0] {
		for c := range 3 {
			img.Pix[4*i+c] = toByte(float64(p.planes[c%len(p.planes)][i]))
		}
		img.Pix[4*i+3] = 255
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, img), f.Close())
}
