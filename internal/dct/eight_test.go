package dct

import (
	"math"
	"testing"
)

func TestElementsAreThoseOfTheMatrix(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for at, want := range Matrix(n) {
			if got := Element(n, at/n, at%n); math.Abs(got-want) > 1e-14 {
				t.Errorf("n = %d: element %d, %d is %g, want %g", n, at/n, at%n, got, want)
			}
		}
	}
}

// These elements differ from those of Matrix in their last bits.
func TestElementIsPinned(t *testing.T) {
	for at, want := range map[int]uint64{30: 0x3fb8f8b83c69a5fe, 45: 0xbfb8f8b83c69a640, 54: 0xbfdd906bcf328d49,
		63: 0xbfb8f8b83c69a598} {
		if got := math.Float64bits(Element(8, at/8, at%8)); got != want {
			t.Errorf("element %d has the bits %#x, want %#x", at, got, want)
		}
	}
}

func TestTransform8(t *testing.T) {
	var out, constant [8]float64
	for i := range out {
		var unit [8]float64
		unit[i], constant[i] = 1, 1e6/3.0
		Transform8(&unit, &out)
		for f, got := range out {
			if want := Element(8, f, i); math.Abs(got-want) > 1e-14 {
				t.Errorf("sample %d has %g at frequency %d, want %g", i, got, f, want)
			}
		}
	}
	Transform8(&constant, &out)
	if out != [8]float64{out[0]} {
		t.Errorf("a constant has the coefficients %g", out)
	}
}
