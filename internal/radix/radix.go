// Package radix sorts numbers digit by digit. On ten thousand numbers and more, that takes a fraction of the time of
// sorting by comparisons.
package radix

import "math"

// The digits are bytes. The sorts begin with the lowest one, and each keeps the order that the one before has made.
const base = 256

// Sort sorts samples as slices.Sort does. NaN comes first.
func Sort(samples []float32) {
	const digits = 4
	keys, spare := make([]uint32, len(samples)), make([]uint32, len(samples))
	var counts [digits][base]int
	for i, v := range samples {
		k := key32(v)
		keys[i] = k
		for d := range digits {
			counts[d][byte(k>>(8*d))]++
		}
	}
	for d := range digits {
		places := &counts[d]
		if !begin(places, len(keys)) {
			continue
		}
		for _, k := range keys {
			digit := byte(k >> (8 * d))
			spare[places[digit]] = k
			places[digit]++
		}
		keys, spare = spare, keys
	}
	for i, k := range keys {
		samples[i] = sampleOf(k)
	}
}

// begin turns the numbers of keys with each digit into the places where they begin. It is false if all n keys have one
// digit.
func begin(counts *[base]int, n int) bool {
	next := 0
	for i, count := range counts {
		if count == n {
			return false
		}
		counts[i], next = next, next+count
	}
	return true
}

// key32 returns bits that are ordered as samples are.
func key32(v float32) uint32 {
	const sign = 1 << 31
	bits := math.Float32bits(v)
	switch {
	case v != v:
		return 0
	case bits&sign != 0:
		return ^bits
	}
	return bits | sign
}

// sampleOf is the inverse of key32.
func sampleOf(k uint32) float32 {
	const sign = 1 << 31
	if k&sign != 0 {
		return math.Float32frombits(k &^ sign)
	}
	return math.Float32frombits(^k)
}

// Place is a value and its place in a list.
type Place struct {
	bits uint64
	At   int
}

// Same reports whether two values are equal.
func (p Place) Same(other Place) bool { return p.bits == other.bits }

// Order returns the places of n values from the least to the largest. Equal values stay in order. NaN comes first.
func Order(n int, value func(i int) float64) []Place {
	const digits = 8
	keys, spare := make([]Place, n), make([]Place, n)
	var counts [digits][base]int
	for i := range keys {
		k := key64(value(i))
		keys[i] = Place{k, i}
		for d := range digits {
			counts[d][byte(k>>(8*d))]++
		}
	}
	for d := range digits {
		places := &counts[d]
		if !begin(places, n) {
			continue
		}
		for _, k := range keys {
			digit := byte(k.bits >> (8 * d))
			spare[places[digit]] = k
			places[digit]++
		}
		keys, spare = spare, keys
	}
	return keys
}

// key64 returns bits that are ordered as values are. Zeros of both signs have the same.
func key64(v float64) uint64 {
	const sign = 1 << 63
	bits := math.Float64bits(v)
	switch {
	case v != v:
		return 0
	case v == 0:
		return sign
	case bits&sign != 0:
		return ^bits
	}
	return bits | sign
}
