// Package radix sorts numbers digit by digit. On ten thousand numbers and more, that takes a fraction of the time of
// sorting by comparisons.
package radix

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// The digits are bytes, four of each key. A sort begins with the lowest one, and for each digit it keeps the order that
// the one before has made.
const digits, base = 4, 256

// memory holds keys and room for as many. Sorts use it again and again, so that they leave no garbage.
type memory[K uint32 | uint64] struct{ keys, spare []K }

var forSort = sync.Pool{New: func() any { return new(memory[uint32]) }}
var forOrder = sync.Pool{New: func() any { return new(memory[uint64]) }}

func (m *memory[K]) grow(n int) {
	if cap(m.keys) < n {
		m.keys, m.spare = make([]K, n), make([]K, n)
	}
	m.keys, m.spare = m.keys[:n], m.spare[:n]
}

// sort sorts the keys by the four bytes from a bit on. Keys that are equal there stay in order.
func (m *memory[K]) sort(shift int) {
	var counts [digits][base]int
	for _, k := range m.keys {
		for d := range digits {
			counts[d][byte(k>>(shift+8*d))]++
		}
	}
	for d := range digits {
		places := &counts[d]
		if !begin(places, len(m.keys)) {
			continue
		}
		spare := m.spare
		for _, k := range m.keys {
			digit := byte(k >> (shift + 8*d))
			spare[places[digit]] = k
			places[digit]++
		}
		m.keys, m.spare = spare, m.keys
	}
}

// Sort sorts samples as slices.Sort does. NaN comes first.
func Sort(samples []float32) {
	if sortFew(samples) {
		return
	}
	m := forSort.Get().(*memory[uint32])
	defer forSort.Put(m)
	m.grow(len(samples))
	for i, v := range samples {
		m.keys[i] = key32(v)
	}
	m.sort(0)
	for i, k := range m.keys {
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

// Order returns the places of n values from the least to the largest. Equal values stay in order. NaN comes first.
func Order(n int, value func(i int) float64) []int32 {
	m := forOrder.Get().(*memory[uint64])
	defer forOrder.Put(m)
	m.grow(n)
	for i := range n { // the upper half of the bits puts nearly all values in order
		m.keys[i] = key64(value(i))&^math.MaxUint32 | uint64(i)
	}
	m.sort(32)
	order := make([]int32, n)
	for i, k := range m.keys {
		order[i] = int32(uint32(k))
	}
	for from := 0; from < n; {
		to := from + 1
		for to < n && m.keys[to]>>32 == m.keys[from]>>32 {
			to++
		}
		if to-from > 1 {
			slices.SortStableFunc(order[from:to], func(a, b int32) int {
				return cmp.Compare(key64(value(int(a))), key64(value(int(b))))
			})
		}
		from = to
	}
	return order
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
