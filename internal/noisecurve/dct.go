package noisecurve

import "math"

// side is the side of a block, in samples.
const side = 8

// line holds a row or a column of a block, or of its coefficients.
type line [side]float64

// cosines is the orthonormal DCT, by frequency and sample.
var cosines = func() (c [side]line) {
	for k := range side {
		scale := math.Sqrt(2.0 / side)
		if k == 0 {
			scale = math.Sqrt(1.0 / side)
		}
		for i := range side {
			c[k][i] = scale * math.Cos(math.Pi*(float64(i)+0.5)*float64(k)/side)
		}
	}
	return c
}()

// transform writes the DCT of a line. Even rows of the DCT are symmetric about their middle and odd rows antisymmetric,
// which halves the multiplications and makes all coefficients of a constant but the first exactly zero.
func transform(in, out *line) {
	c := &cosines
	d0, d1, d2, d3 := in[0]-in[7], in[1]-in[6], in[2]-in[5], in[3]-in[4]
	out[1] = c[1][0]*d0 + c[1][1]*d1 + c[1][2]*d2 + c[1][3]*d3
	out[3] = c[3][0]*d0 + c[3][1]*d1 + c[3][2]*d2 + c[3][3]*d3
	out[5] = c[5][0]*d0 + c[5][1]*d1 + c[5][2]*d2 + c[5][3]*d3
	out[7] = c[7][0]*d0 + c[7][1]*d1 + c[7][2]*d2 + c[7][3]*d3
	s0, s1, s2, s3 := in[0]+in[7], in[1]+in[6], in[2]+in[5], in[3]+in[4]
	outer, inner := s0-s3, s1-s2
	out[2] = c[2][0]*outer + c[2][1]*inner
	out[6] = c[6][0]*outer + c[6][1]*inner
	outer, inner = s0+s3, s1+s2
	out[0] = c[0][0] * (outer + inner)
	out[4] = c[4][0] * (outer - inner)
}
