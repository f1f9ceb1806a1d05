package display

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"

	"github.com/disintegration/imaging"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Picture returns a part of an image as it is shown: gray, or in colours. Transparent images are shown without their
// transparency.
func (d Range) Picture(img *imageio.Image, area image.Rectangle) image.Image {
	out := image.NewNRGBA(image.Rectangle{Max: area.Size()})
	for y := range area.Dy() {
		for x := range area.Dx() {
			r, g, b := d.Pixel(img.Planes, (area.Min.Y+y)*img.Width+area.Min.X+x)
			out.SetNRGBA(x, y, color.NRGBA{r, g, b, 255})
		}
	}
	if len(img.Planes) == 1 {
		return Gray(out)
	}
	return out
}

// Part copies a part of an image.
func Part(img *imageio.Image, area image.Rectangle) *imageio.Image {
	return img.Mapped(area.Dx(), area.Dy(), func(_ int, p []float32) []float32 { return cut(p, img.Width, area) })
}

// cut copies a part of a plane.
func cut(p []float32, width int, area image.Rectangle) []float32 {
	out := make([]float32, 0, area.Dx()*area.Dy())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		out = append(out, p[y*width:][area.Min.X:area.Max.X]...)
	}
	return out
}

// Resized returns a picture at another size. Where it gets smaller, pixels are means of those of the picture, and where
// it gets larger, they are repeated.
func Resized(p image.Image, width, height int) image.Image {
	if p.Bounds().Size() == image.Pt(width, height) {
		return p
	}
	out := imaging.Resize(p, width, height, imaging.Box)
	if _, ok := p.(*image.Gray); ok {
		return Gray(out)
	}
	return out
}

// Gray returns the brightness of a picture.
func Gray(p image.Image) *image.Gray {
	out := image.NewGray(image.Rectangle{Max: p.Bounds().Size()})
	draw.Draw(out, out.Rect, p, p.Bounds().Min, draw.Src)
	return out
}

// Encode returns the bytes of a file of a picture.
func Encode(p image.Image, o imageio.WriteOptions) ([]byte, error) {
	img, err := imageio.FromImage(p)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = imageio.Encode(&b, img, o)
	return b.Bytes(), err
}
