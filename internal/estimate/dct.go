package estimate

import "math"

// maxSide is the side of a patch in samples. Images with a shorter side have smaller patches.
const maxSide = 8

// line holds a row or a column of a patch or of its coefficients. Shorter ones are padded with zeros.
type line [maxSide]float64

// dct is the orthonormal DCT of lines. Applied to the columns and then to the rows it is the DCT of a square patch. The
// coefficients of a constant are exactly zero except the first.
type dct struct {
	side  int
	basis [maxSide]line // rows by frequency
	high  []frequency   // the upper frequencies, which measure
}

// frequency is one coefficient of a patch.
type frequency struct{ vertical, horizontal int }

// newDCT returns the DCT of lines of the given length, 2 to maxSide.
func newDCT(side int) *dct {
	d := &dct{side: side}
	for k := range side {
		scale := math.Sqrt(2 / float64(side))
		if k == 0 {
			scale = math.Sqrt(1 / float64(side))
		}
		for i := range side {
			// internal/dct computes the angle in another order. For sides 6 and 7 the last bits would differ.
			d.basis[k][i] = scale * math.Cos(math.Pi*(float64(i)+0.5)*float64(k)/float64(side))
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
func (d *dct) forward(in, out *line) {
	if d.side == maxSide {
		d.forward8(in, out)
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

// forward8 is forward for lines of 8. Even rows of the basis are symmetric about their middle and odd rows antisymmetric, and
// the same holds for the halves of the even rows. This saves two thirds of the multiplications.
func (d *dct) forward8(in, out *line) {
	b := &d.basis
	d0, d1, d2, d3 := in[0]-in[7], in[1]-in[6], in[2]-in[5], in[3]-in[4]
	out[1] = b[1][0]*d0 + b[1][1]*d1 + b[1][2]*d2 + b[1][3]*d3
	out[3] = b[3][0]*d0 + b[3][1]*d1 + b[3][2]*d2 + b[3][3]*d3
	out[5] = b[5][0]*d0 + b[5][1]*d1 + b[5][2]*d2 + b[5][3]*d3
	out[7] = b[7][0]*d0 + b[7][1]*d1 + b[7][2]*d2 + b[7][3]*d3
	s0, s1, s2, s3 := in[0]+in[7], in[1]+in[6], in[2]+in[5], in[3]+in[4]
	outer, inner := s0-s3, s1-s2
	out[2] = b[2][0]*outer + b[2][1]*inner
	out[6] = b[6][0]*outer + b[6][1]*inner
	outer, inner = s0+s3, s1+s2
	out[0] = b[0][0] * (outer + inner)
	out[4] = b[4][0] * (outer - inner)
}
