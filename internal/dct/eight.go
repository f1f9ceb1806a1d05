package dct

import "math"

// Element returns the element of row f and column i of the DCT matrix of size n x n. The angle is computed in another
// order than by Matrix, so the last bits of some elements differ. Measured noise levels are pinned to these bits, and
// trained models to those of Matrix.
func Element(n, f, i int) float64 {
	c := math.Sqrt(2 / float64(n))
	if f == 0 {
		c = math.Sqrt(1 / float64(n))
	}
	return c * math.Cos(math.Pi*(float64(i)+0.5)*float64(f)/float64(n))
}

// elements is the DCT matrix of 8 x 8.
var elements = func() (a [8][8]float64) {
	for f := range a {
		for i := range a[f] {
			a[f][i] = Element(8, f, i)
		}
	}
	return a
}()

// Transform8 writes the DCT of 8 samples to out. Even rows of the matrix are symmetric about their middle and odd rows
// antisymmetric, and the same holds for the halves of the even rows. This saves two thirds of the multiplications, and
// makes all coefficients of a constant but the first exactly zero. Products are rounded before they are added, on
// processors that could do both at once, too: package kernel has assembly that gives the same bytes.
func Transform8(in, out *[8]float64) {
	a := &elements
	d0, d1, d2, d3 := in[0]-in[7], in[1]-in[6], in[2]-in[5], in[3]-in[4]
	out[1] = dot(&a[1], d0, d1) + float64(a[1][2]*d2) + float64(a[1][3]*d3)
	out[3] = dot(&a[3], d0, d1) + float64(a[3][2]*d2) + float64(a[3][3]*d3)
	out[5] = dot(&a[5], d0, d1) + float64(a[5][2]*d2) + float64(a[5][3]*d3)
	out[7] = dot(&a[7], d0, d1) + float64(a[7][2]*d2) + float64(a[7][3]*d3)
	s0, s1, s2, s3 := in[0]+in[7], in[1]+in[6], in[2]+in[5], in[3]+in[4]
	outer, inner := s0-s3, s1-s2
	out[2] = dot(&a[2], outer, inner)
	out[6] = dot(&a[6], outer, inner)
	outer, inner = s0+s3, s1+s2
	out[0] = a[0][0] * (outer + inner)
	out[4] = a[4][0] * (outer - inner)
}

// dot returns the sum of two values times the first two elements of a row.
func dot(row *[8]float64, first, second float64) float64 {
	return float64(row[0]*first) + float64(row[1]*second)
}
