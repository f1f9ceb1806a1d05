package imageio

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// jpegBand is the number of rows that a worker converts at a time.
const jpegBand = 16

// image enlarges the components and converts them to planes. Each row depends on the components alone, so the result is
// the same for any number of workers.
func (d *jpegDecoder) image() *Image {
	w, h := int(d.head.width), int(d.head.height)
	img := newImage(w, h, len(d.components), false, Depth8, JPEG)
	workers := parallel.Workers(d.workers)
	scratch := make([][]byte, workers)
	convert := len(d.components) > 1 && !d.head.coding().plain
	_ = parallel.For(context.Background(), workers, (h+jpegBand-1)/jpegBand, func(worker, band int) {
		if scratch[worker] == nil {
			scratch[worker] = make([]byte, len(d.components)*(w+4))
		}
		for y := band * jpegBand; y < min(h, (band+1)*jpegBand); y++ {
			d.row(img, y, scratch[worker], convert)
		}
	})
	return img
}

// row fills row y of the planes.
func (d *jpegDecoder) row(img *Image, y int, scratch []byte, convert bool) {
	w := img.Width
	var rows [4][]byte
	for i := range d.components {
		rows[i] = d.components[i].row(y, w, scratch[i*(w+4):(i+1)*(w+4)])
	}
	var out [4][]float32
	for i, p := range img.Planes {
		out[i] = p[y*w : (y+1)*w]
	}
	if convert {
		flip := byte(0)
		if len(img.Planes) == 4 { // the colours of inks are stored inverted
			flip = 255
		}
		putYCbCr(out, rows, flip)
		if flip == 0 {
			return
		}
	}
	for i, p := range img.Planes {
		if convert && i < 3 {
			continue
		}
		for x, v := range rows[i] {
			p[y*w+x] = unitOf[v]
		}
	}
}

// unitOf[v] is unit8(v).
var unitOf = func() (t [256]float32) {
	for i := range t {
		t[i] = unit8(uint8(i))
	}
	return t
}()

// chromaTerms are what Cb and Cr add to a colour (JFIF, ECMA TR/98, section 7). Those of red and blue are rounded. Those
// of green have 16 bits of fraction, and that of Cb includes one half for rounding, as in libjpeg.
type chromaTerms struct {
	red, blue, greenCb, greenCr [256]int32
}

var chroma = func() *chromaTerms {
	const half, r, b, gb, gr = 1 << 15, 91881, 116130, 22554, 46802 // 1.402, 1.772, 0.34414 and 0.71414
	t := new(chromaTerms)
	for i := range t.red {
		v := int32(i) - 128
		t.red[i], t.blue[i] = (r*v+half)>>16, (b*v+half)>>16
		t.greenCb[i], t.greenCr[i] = -gb*v+half, -gr*v
	}
	return t
}()

// putYCbCr converts a row to red, green and blue. Each sample is combined with flip by exclusive or.
func putYCbCr(out [4][]float32, in [4][]byte, flip byte) {
	n := len(in[0])
	luma, cb, cr := in[0], in[1][:n], in[2][:n]
	red, green, blue := out[0][:n], out[1][:n], out[2][:n]
	for x, v := range luma {
		y, b, r := int32(v), cb[x], cr[x]
		red[x] = unitOf[clamp8(y+chroma.red[r])^flip]
		green[x] = unitOf[clamp8(y+(chroma.greenCb[b]+chroma.greenCr[r])>>16)^flip]
		blue[x] = unitOf[clamp8(y+chroma.blue[b])^flip]
	}
}
