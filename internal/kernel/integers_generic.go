package kernel

import "math"

// leastSize is the least size of a lane. Smaller sizes would need factors out of the range of float32.
const leastSize = 0x1p-100

// quantize rounds each lane of a panel to integers times a scale. The largest are limit. Where there are NaN or
// infinities, the scale is NaN.
func quantize(words []int16, scales, b []float32, rows int, limit float32) {
	for lane := range Lanes {
		largest := math.Float32bits(leastSize) // as bits, NaN is larger than infinities, and these than all others
		for i := range rows {
			largest = max(largest, math.Float32bits(b[i*Lanes+lane])&(1<<31-1))
		}
		size := math.Float32frombits(largest)
		scales[lane] = size/limit + (size - size)
		factor := limit / size
		for i := range rows {
			words[i*Lanes+lane] = round(b[i*Lanes+lane] * factor)
		}
	}
}

// round returns the nearest integer, of two the even one. NaN gives any.
func round(v float32) int16 { return int16(int32(math.RoundToEven(float64(v)))) }

// mulIntegers computes c = a b with one scale for each row of a and one for each lane of b, for a of rows x cols.
func mulIntegers(c []float32, a []int16, rowScales []float32, b []int16, scales []float32, rows, cols int) {
	for i := range rows {
		var sums [Lanes]int32
		for l, w := range a[i*cols:][:cols] {
			for j, v := range b[l*Lanes:][:Lanes] {
				sums[j] += int32(w) * int32(v)
			}
		}
		for j, s := range sums {
			c[i*Lanes+j] = float32(s) * rowScales[i] * scales[j]
		}
	}
}
