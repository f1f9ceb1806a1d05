// Package dct defines the orthonormal discrete cosine transform (type II), once for all packages that use its matrix or
// that of 8 samples.
package dct

import "math"

// Matrix returns the orthonormal DCT-II matrix of size n x n in row-major order,
//
//	a[f*n+i] = c cos(pi (2i + 1) f / 2n),   c = sqrt(1/n) for f = 0 and sqrt(2/n) otherwise.
//
// Row f is the cosine of frequency f; row 0 is constant. The transpose is the inverse. n is at least 1.
//
// Trained models and pinned outputs depend on the last bit of these values, so the order of the operations is fixed.
func Matrix(n int) []float64 {
	a := make([]float64, 0, n*n)
	for f := range n {
		c := math.Sqrt(2 / float64(n))
		if f == 0 {
			c = math.Sqrt(1 / float64(n))
		}
		for i := range n {
			a = append(a, c*math.Cos(math.Pi*float64((2*i+1)*f)/float64(2*n)))
		}
	}
	return a
}
