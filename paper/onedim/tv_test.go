package onedim

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// x is the solution if and only if the running sum u of y - x stays between -strength and strength, ends at 0, and is
// at a bound wherever x jumps: at strength before a jump down, at -strength before a jump up.
func TestTotalVariationSatisfiesItsOptimalityConditions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-3, 3),
			rapid.Map(rapid.IntRange(-2, 2), func(i int) float64 { return float64(i) }))
		y := rapid.SliceOfN(value, 1, 40).Draw(t, "y")
		strength := rapid.SampledFrom([]float64{0, 0.01, 0.3, 1, 5, 100}).Draw(t, "strength")
		x := make([]float64, len(y))
		TotalVariation(x, y, strength)
		const tol = 1e-10
		u := 0.0
		for i := range x {
			u += y[i] - x[i]
			if i == len(x)-1 {
				if math.Abs(u) > tol {
					t.Fatalf("the means differ: sum %g", u)
				}
				break
			}
			want := 0.0
			switch d := x[i+1] - x[i]; {
			case d > tol:
				want = -strength
			case d < -tol:
				want = strength
			default:
				if math.Abs(u) > strength+tol {
					t.Fatalf("|u_%d| = %g", i, u)
				}
				continue
			}
			if math.Abs(u-want) > tol {
				t.Fatalf("u_%d = %g at a jump, not %g", i, u, want)
			}
		}
	})
}

func TestTotalVariationInPlaceAndLimits(t *testing.T) {
	y := []float64{1, 5, 2, 8}
	TotalVariation(y, y, 1e9)
	for _, v := range y {
		if math.Abs(v-4) > 1e-9 {
			t.Errorf("with a huge strength the result is %v, want the mean", y)
		}
	}
	TotalVariation(nil, nil, 1)
}

func FuzzTotalVariation(f *testing.F) {
	f.Add([]byte{1, 2, 3}, 1.0)
	f.Fuzz(func(t *testing.T, data []byte, strength float64) {
		if !(strength >= 0 && strength < 1e6) {
			return
		}
		y := make([]float64, len(data))
		sum := 0.0
		for i, b := range data {
			y[i] = float64(b)
			sum += y[i]
		}
		TotalVariation(y, y, strength)
		for _, v := range y {
			sum -= v
		}
		if math.Abs(sum) > 1e-6*float64(1+len(y)) {
			t.Errorf("the mean changed by %g", sum)
		}
	})
}

func ExampleTotalVariation() {
	y := []float64{0, 1, 0, 5, 6, 5}
	x := make([]float64, len(y))
	TotalVariation(x, y, 1)
	fmt.Printf("%.2f\n", x)
	// Output: [0.67 0.67 0.67 5.00 5.00 5.00]
}
