package imageio

import (
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// jpegBand is the number of rows that a worker converts at a time.
const jpegBand = 16

// image enlarges the components and converts them to planes. Each row depends on the components alone, so the result is
// the same for any number of workers.
func (d *jpegDecoder) image() *Image {
	if d.made {
		return d.img
	}
	img := d.img
	if img == nil {
		img = d.newImage()
	}
	h := img.Height
	workers := parallel.Workers(d.workers)
	scratch := make([][]byte, workers)
	convert := d.converts()
	_ = parallel.For(running(d.ctx), workers, (h+jpegBand-1)/jpegBand, func(worker, band int) {
		if scratch[worker] == nil {
			scratch[worker] = d.rowScratch()
		}
		for y := band * jpegBand; y < min(h, (band+1)*jpegBand); y++ {
			d.row(img, y, scratch[worker], convert)
		}
	})
	return img
}

func (d *jpegDecoder) newImage() *Image {
	return newImage(int(d.head.width), int(d.head.height), len(d.components), noAlpha, Depth8, JPEG)
}

// converts reports whether the first three components are luma and chroma.
func (d *jpegDecoder) converts() bool { return len(d.components) > 1 && !d.head.coding().plain }

// rowScratch returns room for a row of each component.
func (d *jpegDecoder) rowScratch() []byte {
	return make([]byte, len(d.components)*(int(d.head.width)+4))
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
		if len(img.Planes) == 3 {
			putYCbCr(out, rows, &lightSamples)
			return
		}
		putYCbCr(out, rows, &inkSamples)
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

// chromaTerms are what Cb and Cr add to a colour (JFIF, ECMA TR/98, section 7). Those of red and blue are rounded.
// Those of green have 16 bits of fraction, and that of Cb includes one half for rounding, as in libjpeg. All include
// clampZero.
type chromaTerms struct {
	red, blue, greenCb, greenCr [256]int32
}

var chroma = func() *chromaTerms {
	const half, r, b, gb, gr = 1 << 15, 91881, 116130, 22554, 46802 // 1.402, 1.772, 0.34414 and 0.71414
	t := new(chromaTerms)
	for i := range t.red {
		v := int32(i) - 128
		t.red[i], t.blue[i] = (r*v+half)>>16+clampZero, (b*v+half)>>16+clampZero
		t.greenCb[i], t.greenCr[i] = -gb*v+half+clampZero<<16, -gr*v
	}
	return t
}()

// clampZero is the place of level 0 in a clampTable.
const clampZero = 256

// clampTable holds the samples for levels from -clampZero on, clamped to 0-255. Looking them up is faster than
// clamping.
type clampTable [1024]float32

// lightSamples and inkSamples are the samples of light, and of inks, whose colours are stored inverted.
var lightSamples, inkSamples = func() (light, inks clampTable) {
	for i := range light {
		v := clamp8(int32(i) - clampZero)
		light[i], inks[i] = unit8(v), unit8(^v)
	}
	return light, inks
}()

// putYCbCr converts a row to red, green and blue.
func putYCbCr(out [4][]float32, in [4][]byte, table *clampTable) {
	const mask = int32(len(table) - 1)
	n := len(in[0])
	luma, cb, cr := in[0], in[1][:n], in[2][:n]
	red, green, blue := out[0][:n], out[1][:n], out[2][:n]
	for x, v := range luma {
		y, b, r := int32(v), cb[x], cr[x]
		red[x] = table[(y+chroma.red[r])&mask]
		green[x] = table[(y+(chroma.greenCb[b]+chroma.greenCr[r])>>16)&mask]
		blue[x] = table[(y+chroma.blue[b])&mask]
	}
}
