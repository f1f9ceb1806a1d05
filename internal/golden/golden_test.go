package golden

import (
	"fmt"
	"math"
	"testing"
)

func TestMinimize(t *testing.T) {
	for _, want := range []float64{-2.99, 1.3, 2.5, 9.99} {
		got := minimize(-3, 10, 1e-6, func(v float64) float64 { return (v - want) * (v - want) })
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("minimum at %g, want %g", got, want)
		}
	}
}

func TestMinimizeAtAnEnd(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		got := minimize(0, 1, 1e-3, func(v float64) float64 { return sign * v })
		if want := (1 - sign) / 2; math.Abs(got-want) > 1e-3 {
			t.Errorf("slope %g: minimum at %g, want %g", sign, got, want)
		}
	}
}

func TestMinimizeLog(t *testing.T) {
	for _, tol := range []float64{0.1, 0.01} {
		got := MinimizeLog(1e-3, 10, tol, func(s float64) float64 { return math.Abs(math.Log(s / 0.2)) })
		if math.Abs(math.Log(got/0.2)) > tol {
			t.Errorf("tolerance %g: minimum at %g, want 0.2", tol, got)
		}
	}
}

func ExampleMinimizeLog() {
	fmt.Printf("%.2f\n", MinimizeLog(0.1, 4, 1e-6, func(x float64) float64 { return (x - 1) * (x - 1) }))
	// Output: 1.00
}
