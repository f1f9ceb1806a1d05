package quantile

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Of gives what sorting gives, also if many values are equal.
func TestOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 9), 1, 300).Draw(t, "values")
		if rapid.Bool().Draw(t, "equal") {
			for i, v := range values {
				values[i] = math.Floor(v)
			}
		}
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		sorted := slices.Sorted(slices.Values(values))
		want := sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
		if got := Of(values, share); got != want {
			t.Fatalf("%g, want %g", got, want)
		}
		if got := Median(values); got != sorted[len(sorted)/2] {
			t.Fatalf("the median is %g, want %g", got, sorted[len(sorted)/2])
		}
	})
	if got := Median([]float32(nil)); got != 0 {
		t.Errorf("the median of nothing is %g", got)
	}
}

func TestBetween(t *testing.T) {
	for share, want := range map[float64]float64{0: 1, 0.25: 2, 0.375: 3, 0.5: 4, 1: 10} {
		if got := Between([]float32{1, 2, 4, 8, 10}, share); got != want {
			t.Errorf("%g at %g, want %g", got, share, want)
		}
	}
	if got := Between([]float64{7}, 0.3); got != 7 {
		t.Errorf("%g between one value", got)
	}
}
