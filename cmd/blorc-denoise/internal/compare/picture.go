package compare

import (
	"bytes"
	"encoding/base64"
	goimage "image"

	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/display"
	"github.com/blorc-denoise/blorc-denoise/cmd/blorc-denoise/internal/markup"
	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// dataURI returns 8-bit pixels of a part of an image as an address that holds them. Every step-th row and column is the
// mean of step x step pixels. A quality makes it a JPEG without chroma subsampling; 0 makes it a PNG.
func dataURI(img *imageio.Image, d display.Range, area goimage.Rectangle, step, quality int) (markup.Raw, error) {
	small := shrink(img, d, area, step)
	o := imageio.WriteOptions{Format: imageio.PNG}
	kind := "image/png"
	if quality > 0 {
		o = imageio.WriteOptions{Format: imageio.JPEG, Quality: quality, Subsampling: imageio.Subsampling444}
		kind = "image/jpeg"
	}
	var b bytes.Buffer
	if err := imageio.Encode(&b, small, o); err != nil {
		return "", err
	}
	return markup.Raw("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes())), nil
}

// shrink returns a part of an image as gray or colours from 0 to 1 as they are shown, at 1/step of its size.
// Transparent images are shown without their transparency.
func shrink(img *imageio.Image, d display.Range, area goimage.Rectangle, step int) *imageio.Image {
	w, h := max(1, area.Dx()/step), max(1, area.Dy()/step)
	step = min(step, area.Dx(), area.Dy())
	out := &imageio.Image{Width: w, Height: h, Depth: imageio.Depth8, Format: imageio.PNG}
	planes := 3
	if len(img.Planes) == 1 {
		planes = 1
	}
	for range planes {
		out.Planes = append(out.Planes, make([]float32, w*h))
	}
	for y := range h {
		for x := range w {
			var sum [3]float32
			for j := range step {
				for i := range step {
					at := (area.Min.Y+y*step+j)*img.Width + area.Min.X + x*step + i
					r, g, b := d.Pixel(img.Planes, at)
					sum[0], sum[1], sum[2] = sum[0]+float32(r), sum[1]+float32(g), sum[2]+float32(b)
				}
			}
			for c := range planes {
				out.Planes[c][y*w+x] = sum[c] / float32(255*step*step)
			}
		}
	}
	return out
}
