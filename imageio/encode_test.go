package imageio

import (
	"math"
	"slices"
	"testing"
)

func TestAllFinite(t *testing.T) {
	for n := range 11 {
		p := make([]float32, n)
		for i := range p {
			p[i] = []float32{math.MaxFloat32, -math.MaxFloat32, 0.5}[i%3]
		}
		if !allFinite(p) {
			t.Errorf("%d finite samples", n)
		}
		for i := range p {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				q := slices.Clone(p)
				if q[i] = float32(v); allFinite(q) {
					t.Errorf("%g at %d of %d", v, i, n)
				}
			}
		}
	}
}
