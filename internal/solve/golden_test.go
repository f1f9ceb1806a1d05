package solve

import (
	"math"
	"testing"
)

func TestGoldenSection(t *testing.T) {
	for _, c := range [][3]float64{{-3, 10, 2.5}, {-1, 4, 1.3}} {
		if x := GoldenSection(c[0], c[1], 1e-6, func(v float64) float64 { return (v - c[2]) * (v - c[2]) }); math.Abs(x-c[2]) > 1e-6 {
			t.Errorf("minimum at %g, not %g", x, c[2])
		}
	}
}
