package stage

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/half"
)

// rounded returns filters of n samples, one after the other, as values of 16 bits. A filter whose sum is zero keeps
// that: else the brightness of a patch, which may be thousands of times its noise, would leak into what the filter
// finds. Its smallest value, which 16 bits hold most exactly, takes what rounding left.
func rounded(filters []float64, n int) []float64 {
	out := make([]float64, len(filters))
	for from := 0; from < len(filters); from += n {
		sum, size, left, least := 0.0, 0.0, 0.0, from
		for i, v := range filters[from : from+n] {
			i += from
			out[i] = float64(half.Value(half.Of(float32(v))))
			sum, size, left = sum+v, size+math.Abs(v), left+out[i]
			if math.Abs(out[i]) < math.Abs(out[least]) {
				least = i
			}
		}
		if math.Abs(sum) < 1e-5*size {
			out[least] = float64(half.Value(half.Of(float32(out[least] - left))))
		}
	}
	return out
}
