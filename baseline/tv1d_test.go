package baseline

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// x is the solution exactly if the running sum u of y - x stays within the strength, ends at 0, and is at its bound
// wherever x jumps: +strength below a jump down, -strength below a jump up.
func TestTV1DSatisfiesItsOptimalityConditions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.Map(rapid.IntRange(-2, 2), func(i int) float64 { return float64(i) }))
		y := rapid.SliceOfN(value, 1, 40).Draw(t, "y")
		strength := rapid.SampledFrom([]float64{0, 0.01, 0.3, 1, 5, 100}).Draw(t, "strength")
		x := make([]float64, len(y))
		TV1D(x, y, strength)
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

func TestTV1DInPlaceAndLimits(t *testing.T) {
	y := []float64{1, 5, 2, 8}
	TV1D(y, y, 1e9)
	for _, v := range y {
		if math.Abs(v-4) > 1e-9 {
			t.Errorf("a huge strength leaves %v, not the mean", y)
		}
	}
	TV1D(nil, nil, 1)
}

func FuzzTV1D(f *testing.F) {
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
		TV1D(y, y, strength)
		for _, v := range y {
			sum -= v
		}
		if math.Abs(sum) > 1e-6*float64(1+len(y)) {
			t.Errorf("the mean changed by %g", sum)
		}
	})
}

func TestTuneStrength(t *testing.T) {
	if got := TuneStrength(1e-3, 10, func(s float64) float64 { return math.Abs(math.Log(s / 0.2)) }); math.Abs(got/0.2-1) > 0.01 {
		t.Errorf("strength %g, not 0.2", got)
	}
}
