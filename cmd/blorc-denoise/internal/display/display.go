// Package display turns the samples of images into bytes for screens.
package display

import (
	"fmt"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Range says how samples are shown: Low is black and High is white.
type Range struct {
	Low, High float32
	Stretched bool // it is not 0 to 1
}

// narrow is the range of samples below which a picture of more than 8 bits is shown with more contrast: it would be
// nearly black.
const narrow = 0.4

// Of returns the range for an image. It is 0 to 1, or less for samples of more than 8 bits in a narrow range. It looks
// at some 60,000 samples.
func Of(img *imageio.Image) Range {
	d := Range{0, 1, false}
	if img.Depth == imageio.Depth8 || len(img.Planes) == 4 {
		return d
	}
	var some []float32
	for _, p := range img.Planes {
		for i := 0; i < len(p); i += len(p)/20000 | 1 {
			if v := p[i]; v-v == 0 {
				some = append(some, v)
			}
		}
	}
	if len(some) == 0 {
		return d
	}
	slices.Sort(some)
	trim := len(some) / 1000
	low, high := some[trim], some[len(some)-1-trim]
	if span := high - low; span > 0 && (span < narrow || high > 1.5 || low < -0.5) {
		return Range{low - span/20, high + span/20, true}
	}
	return d
}

// String describes a range that is not 0 to 1; else it is empty.
func (d Range) String() string {
	if !d.Stretched {
		return ""
	}
	return fmt.Sprintf("shown with more contrast: %.3g to %.3g of full scale", d.Low, d.High)
}

// Blank makes samples that are no numbers black.
func Blank(planes [][]float32) {
	for _, p := range planes {
		for i, v := range p {
			if v-v != 0 {
				p[i] = 0
			}
		}
	}
}

// Value returns a sample as a byte. What is no number is black.
func (d Range) Value(v float32) byte {
	if v-v != 0 {
		return 0
	}
	return byte(min(max((v-d.Low)/(d.High-d.Low)*255+0.5, 0), 255))
}

// Pixel returns the colour of sample i of an image of one gray, three colour or four ink planes.
func (d Range) Pixel(planes [][]float32, i int) (r, g, b byte) {
	switch len(planes) {
	case 1:
		v := d.Value(planes[0][i])
		return v, v, v
	case 3:
		return d.Value(planes[0][i]), d.Value(planes[1][i]), d.Value(planes[2][i])
	}
	k := planes[3][i]
	return d.Value(planes[0][i] * k), d.Value(planes[1][i] * k), d.Value(planes[2][i] * k)
}
