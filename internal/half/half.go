// Package half converts floats of 16 bits (IEEE 754, binary16).
package half

import "math"

// Max is the largest finite float of 16 bits.
const Max = 65504

// Value returns the value of a float of 16 bits.
func Value(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, int(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0:
		v := float32(fraction) * 0x1p-24 // exact
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | uint32(exponent+127-15)<<23 | fraction<<13)
}

// Of returns the nearest float of 16 bits, or for a NaN a NaN, and of two that are equally near the one that ends in 0.
func Of(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits>>16) & 0x8000
	a := math.Abs(float64(v))
	if a < math.Ldexp(1, -14) { // subnormal
		return sign | uint16(math.RoundToEven(math.Ldexp(a, 24)))
	}
	if v != v { // keeps what of a NaN has room
		return sign | 31<<10 | max(1, uint16(bits>>13)&1023)
	}
	m := bits&(1<<31-1) - (127-15)<<23
	m += 1<<12 - 1 + m>>13&1
	return sign | uint16(min(m>>13, 31<<10))
}
