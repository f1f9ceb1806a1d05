package imageio

import "math"

func unit8(v uint8) float32   { return float32(v) / math.MaxUint8 }
func unit16(v uint16) float32 { return float32(v) / math.MaxUint16 }

// quantise maps a finite sample to an integer of the file: it rounds half up and clips to [0, top]. It is the exact
// inverse of unit8 and unit16.
func quantise(v float32, top float64) uint16 {
	q := float64(v)*top + 0.5
	if q < 1 {
		return 0
	}
	return uint16(min(q, top)) // the conversion drops the fraction
}

// finite reports whether the sample is neither NaN nor infinite.
func finite(v float32) bool {
	return v-v == 0 // NaN for NaN and Inf
}
