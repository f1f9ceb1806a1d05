package matrix3

import (
	"math"
	"testing"
)

func TestInverse(t *testing.T) {
	m := Matrix{{1.5, -0.3, -0.2}, {-0.1, 1.4, -0.3}, {0, -0.5, 1.5}}
	inverse := m.Inverse()
	for j := range 3 {
		column := m.Times(Vector{inverse[0][j], inverse[1][j], inverse[2][j]})
		for i, got := range column {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("element %d, %d of the product is %g", i, j, got)
			}
		}
	}
}
