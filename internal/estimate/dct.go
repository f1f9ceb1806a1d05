package estimate

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/dct"
)

// maxSide is the side of a patch in samples. Images with a shorter side have smaller patches.
const maxSide = 8

// line holds a row or a column of a patch or of its coefficients. Shorter ones are padded with zeros.
type line = [maxSide]float64

// lineDCT is the orthonormal DCT of lines. Applied to the columns and then to the rows it is the DCT of a square patch.
// The coefficients of a constant are exactly zero except the first.
type lineDCT struct {
	side  int
	basis [maxSide]line // rows by frequency
	high  []frequency   // the upper frequencies, which measure
}

// frequency is one coefficient of a patch.
type frequency struct{ vertical, horizontal int }

// newDCT returns the DCT of lines of the given length, 2 to maxSide.
func newDCT(side int) *lineDCT {
	d := &lineDCT{side: side}
	for k := range side {
		for i := range side {
			d.basis[k][i] = dct.Element(side, k, i)
		}
	}
	for v := range side {
		for u := side - v; u < side; u++ {
			d.high = append(d.high, frequency{v, u})
		}
	}
	return d
}

// forward transforms a line.
func (d *lineDCT) forward(in, out *line) {
	if d.side == maxSide {
		dct.Transform8(in, out)
		return
	}
	first := in[0]
	*out = line{}
	for k := range d.side {
		for i := range d.side {
			out[k] += d.basis[k][i] * (in[i] - first) // exactly zero for a constant
		}
	}
	out[0] += first * math.Sqrt(float64(d.side))
}
