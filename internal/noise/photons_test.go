package noise

import (
	"math"
	"testing"
)

// The mean stays, and the variance is gain times the level over the offset plus the square of the read noise.
func TestPhotonsHaveTheirMeanAndVariance(t *testing.T) {
	const n = 200_000
	for _, c := range []struct{ level, gain, offset, read float64 }{{0.5, 0.01, 0.1, 0.02}, {0.3, 0.1, 0, 0},
		{0.1, 0.01, 0.2, 0.03}, {1, 1e-4, 0, 0}} {
		src, dst := make([]float32, n), make([]float32, n)
		for i := range src {
			src[i] = float32(c.level)
		}
		AddPhotons(dst, src, c.gain, c.offset, c.read, Source(1, "photons"))
		sum, squares := 0.0, 0.0
		for _, v := range dst {
			sum += float64(v)
			squares += float64(v) * float64(v)
		}
		mean, variance := sum/n, squares/n-sum/n*sum/n
		wantMean := max(c.level, c.offset)
		wantVariance := c.gain*(wantMean-c.offset) + c.read*c.read
		if math.Abs(mean-wantMean) > 5*math.Sqrt(wantVariance/n) || math.Abs(variance/wantVariance-1) > 0.02 {
			t.Errorf("%+v: mean %g, variance %g; want %g, %g", c, mean, variance, wantMean, wantVariance)
		}
	}
}
