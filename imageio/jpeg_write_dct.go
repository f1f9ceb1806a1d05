package imageio

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/dct"
)

// codedBlock is what the file has of 8 x 8 samples.
type codedBlock struct {
	coefficients [64]int16 // in the order of the file
	others       uint64    // bit i says that coefficient i, of 1 to 63, is not 0
}

// inverse returns the inverse of each step.
func (t *quantTable) inverse() (inverse [64]float64) {
	for i, step := range t {
		inverse[i] = 1 / float64(step)
	}
	return inverse
}

// transform finds the coefficients of 8 x 8 samples. Rows begin stride samples apart. The DCT is orthonormal, which is
// the scale of JPEG (T.81, section A.3.3).
func (b *codedBlock) transform(src []float32, stride int, inverse *[64]float64) {
	var across, down [8][8]float64
	for y := range across {
		var in [8]float64
		for x, v := range src[y*stride:][:8] {
			in[x] = float64(v)
		}
		dct.Transform8(&in, &across[y])
	}
	for u := range down {
		var in [8]float64
		for y := range in {
			in[y] = across[y][u]
		}
		dct.Transform8(&in, &down[u])
	}
	b.others = 0
	for i, at := range zigzag {
		v := down[at%8][at/8] * inverse[i]
		n := int32(v + math.Copysign(0.5, v))
		// The Huffman tables have codes for the coefficients that 8-bit samples can produce. Rounding may exceed them.
		n = min(max(n, -1023), 1023)
		b.coefficients[i] = int16(n)
		b.others |= uint64(uint32(n|-n)>>31) << i
	}
	b.coefficients[0] = int16(min(max(math.Round(down[0][0]*inverse[0]), -1024), 1023))
	b.others &^= 1
}
