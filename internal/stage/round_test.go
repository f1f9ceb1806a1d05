package stage

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRoundedFiltersStayWithoutMean(t *testing.T) {
	const n = 64
	rng := rand.New(rand.NewPCG(1, 2))
	filters := make([]float64, 3*n)
	for i := range filters {
		filters[i] = 0.3 * rng.NormFloat64()
	}
	for f := range 2 { // the third has a mean
		sum := 0.0
		for _, v := range filters[f*n:][:n] {
			sum += v
		}
		for i := range n {
			filters[f*n+i] -= sum / n
		}
	}
	got := rounded(filters, n)
	for f := range 3 {
		sum, was := 0.0, 0.0
		for i, v := range got[f*n:][:n] {
			sum, was = sum+v, was+filters[f*n+i]
			if d := math.Abs(v - filters[f*n+i]); d > 3e-3 {
				t.Errorf("value %d of filter %d is off by %g", i, f, d)
			}
		}
		if f < 2 && math.Abs(sum) > 1e-5 || f == 2 && math.Abs(sum-was) > 0.01 {
			t.Errorf("the sum of filter %d is %g, was %g", f, sum, was)
		}
	}
}
