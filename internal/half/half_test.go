package half

import (
	"math"
	"testing"
)

func TestAllFloats(t *testing.T) {
	for h := range 1 << 16 {
		v := Value(uint16(h))
		if h>>10&31 == 31 {
			if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
				t.Errorf("%x is %g", h, v)
			}
			continue
		}
		if got := Of(v); got != uint16(h) {
			t.Fatalf("%x is %g, which is %x", h, v, got)
		}
	}
	for v, want := range map[float32]uint16{1 + 1.0/2048: 0x3c00, 1 + 3.0/2048: 0x3c02, 65504: 0x7bff, 65519: 0x7bff,
		1e-8: 0, 5.9604645e-08: 1, 1e9: 0x7c00} {
		if got := Of(v); got != want {
			t.Errorf("%g is %x, want %x", v, got, want)
		}
	}
}
