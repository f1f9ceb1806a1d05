package dct

import (
	"fmt"
	"math"
	"testing"
)

func TestMatrixIsOrthonormal(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 12, 16, 64} {
		a := Matrix(n)
		if len(a) != n*n {
			t.Fatalf("n = %d: %d elements", n, len(a))
		}
		for f := range n {
			for g := range n {
				want, got := 0.0, 0.0
				if f == g {
					want = 1
				}
				for i := range n {
					got += a[f*n+i] * a[g*n+i]
				}
				if math.Abs(got-want) > 1e-13 {
					t.Errorf("n = %d: rows %d and %d have product %g, want %g", n, f, g, got, want)
				}
			}
		}
	}
}

func TestRowsAreCosinesOfTheirFrequency(t *testing.T) {
	const n = 9
	a := Matrix(n)
	for f := range n {
		changes := 0
		for i := 1; i < n; i++ {
			if a[f*n+i]*a[f*n+i-1] < 0 {
				changes++
			}
		}
		middle := a[f*n+n/2] // cos(pi f / 2), which is 0 for odd f
		if f%2 == 0 && changes != f || f%2 == 1 && math.Abs(middle) > 1e-15 {
			t.Errorf("row %d changes its sign %d times and has %g in the middle", f, changes, middle)
		}
	}
}

// These elements change in their last bits if the angle is computed in another order.
func TestMatrixIsPinned(t *testing.T) {
	a := Matrix(8)
	for at, want := range map[int]uint64{30: 0x3fb8f8b83c69a61d, 45: 0xbfb8f8b83c69a602, 54: 0xbfdd906bcf328d42,
		63: 0xbfb8f8b83c69a615} {
		if got := math.Float64bits(a[at]); got != want {
			t.Errorf("element %d has the bits %#x, want %#x", at, got, want)
		}
	}
}

func ExampleMatrix() {
	fmt.Printf("%.4f\n", Matrix(2))
	// Output: [0.7071 0.7071 0.7071 -0.7071]
}
