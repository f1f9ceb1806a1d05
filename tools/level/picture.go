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

	"github.com/blorc-denoise/blorc-denoise/internal/camera"
)

// load reads a PNG or JPEG file. The chroma of JPEG files is interpolated as libjpeg does it, since the reference
// pictures of real pairs were read that way.
func load(path string) (*camera.Picture, error) {
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

func decodeJPEG(r io.Reader) (*camera.Picture, error) {
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
	cb := camera.Upsample(ycc.Cb, ycc.CStride, half.X, half.Y)
	cr := camera.Upsample(ycc.Cr, ycc.CStride, half.X, half.Y)
	p := camera.NewPicture(b.Dx(), b.Dy(), 3)
	for y := range p.Height {
		for x := range p.Width {
			i, c := y*p.Width+x, y*2*half.X+x
			r, g, bl := camera.ToRGB(float64(ycc.Y[y*ycc.YStride+x]), float64(cb[c]), float64(cr[c]))
			p.Planes[0][i], p.Planes[1][i], p.Planes[2][i] = r, g, bl
		}
	}
	return p.Quantise(), nil
}

func decodePNG(r io.Reader) (*camera.Picture, error) {
	img, err := png.Decode(r)
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	if g, ok := img.(*image.Gray); ok {
		p := camera.NewPicture(b.Dx(), b.Dy(), 1)
		for i := range p.Planes[0] {
			p.Planes[0][i] = float32(g.Pix[i/p.Width*g.Stride+i%p.Width]) / 255
		}
		return p, nil
	}
	rgb := image.NewNRGBA(b)
	draw.Draw(rgb, b, img, b.Min, draw.Src)
	p := camera.NewPicture(b.Dx(), b.Dy(), 3)
	for i := range p.Planes[0] {
		at := i/p.Width*rgb.Stride + i%p.Width*4
		for c := range 3 {
			p.Planes[c][i] = float32(rgb.Pix[at+c]) / 255
		}
	}
	return p, nil
}

// crop returns the part of at most width x height samples whose upper left corner is at x, y.
func crop(p *camera.Picture, x, y, width, height int) *camera.Picture {
	width, height = min(width, p.Width-x), min(height, p.Height-y)
	q := camera.NewPicture(width, height, len(p.Planes))
	for i, plane := range p.Planes {
		for row := range height {
			copy(q.Planes[i][row*width:][:width], plane[(y+row)*p.Width+x:])
		}
	}
	return q
}

// centre returns the middle of the picture, side samples wide and high if it has so many.
func centre(p *camera.Picture, side int) *camera.Picture {
	width, height := min(side, p.Width), min(side, p.Height)
	return crop(p, (p.Width-width)/2, (p.Height-height)/2, width, height)
}
