package noisecurve

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestScanLeavesOutWhatIsNotFinite(t *testing.T) {
	sample := rapid.OneOf(rapid.Float32Range(-2, 2), rapid.Float32Range(0, 1),
		rapid.SampledFrom([]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32,
			-math.MaxFloat32}))
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SliceOfN(sample, 1, 9).Draw(t, "samples")
		p := make([]float32, 300_000) // of several pieces
		for i := range p {
			p[i] = few[i*len(few)/len(p)]
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range few {
			if v-v == 0 {
				low, high = min(low, float64(v)), max(high, float64(v))
			}
		}
		c := scan([][]float32{p}, rapid.IntRange(1, 3).Draw(t, "workers"))
		if low > high {
			low, high = 0, 0
		}
		if c.Low != low || c.High != high {
			t.Fatalf("from %g to %g, want %g to %g", c.Low, c.High, low, high)
		}
	})
}
