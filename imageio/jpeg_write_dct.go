package imageio

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/dct"
)

// dctBasis is the matrix of the one-dimensional DCT with the scale of JPEG (T.81, section A.3.3), which makes it
// orthonormal. Row u belongs to frequency u.
var dctBasis = func() (m [8][8]float32) {
	for i, v := range dct.Matrix(8) {
		m[i/8][i%8] = float32(v)
	}
	return m
}()

// transformBlock returns the quantised coefficients of 8 x 8 samples in the order of the file. Rows begin stride
// samples apart.
func transformBlock(src []float32, stride int, q *quantTable) (out [64]int32) {
	var columns, both [64]float32
	for u := range 8 {
		for x := range 8 {
			sum := float32(0)
			for y := range 8 {
				sum += dctBasis[u][y] * src[y*stride+x]
			}
			columns[8*u+x] = sum
		}
	}
	for u := range 8 {
		for v := range 8 {
			sum := float32(0)
			for x := range 8 {
				sum += dctBasis[v][x] * columns[8*u+x]
			}
			both[8*u+v] = sum
		}
	}
	for i, at := range zigzag {
		out[i] = int32(math.Round(float64(both[at] / float32(q[i]))))
	}
	// The Huffman tables have codes for the coefficients that 8-bit samples can produce. Rounding may exceed them.
	out[0] = min(max(out[0], -1024), 1023)
	for i := range out[1:] {
		out[1+i] = min(max(out[1+i], -1023), 1023)
	}
	return out
}
