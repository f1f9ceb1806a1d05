package noisecurve

import (
	"cmp"
	"math"
	"slices"
)

// sortKey stands for a block while blocks are sorted, which are larger.
type sortKey struct {
	bits uint64
	at   int // place of the block
}

// sortBlocks sorts blocks by a finite value, and blocks of equal value by their place on the grid. It sorts digit by digit: on tens of
// thousands of blocks, comparisons take ten times longer.
func sortBlocks(blocks []block, value func(b *block) float64) {
	keys := make([]sortKey, len(blocks))
	for i := range blocks {
		keys[i] = sortKey{ordered(value(&blocks[i])), i}
	}
	keys = sortKeys(keys)
	sorted := make([]block, len(blocks))
	for i, k := range keys {
		sorted[i] = blocks[k.at]
	}
	copy(blocks, sorted)
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to].bits == keys[from].bits {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(blocks[from:to], func(a, b block) int { return cmp.Compare(a.order, b.order) })
		}
		from = to
	}
}

// ordered returns bits that are ordered as finite numbers are. Zero has one form of bits.
func ordered(v float64) uint64 {
	const sign = 1 << 63
	bits := math.Float64bits(v)
	switch {
	case v == 0:
		return sign
	case bits&sign != 0:
		return ^bits
	}
	return bits | sign
}

// sortKeys sorts keys by their bits, a byte at a time, the lowest first. It uses their memory.
func sortKeys(keys []sortKey) []sortKey {
	const digits, radix = 8, 256
	var counts [digits][radix]int
	for _, k := range keys {
		for d := range digits {
			counts[d][byte(k.bits>>(8*d))]++
		}
	}
	spare := make([]sortKey, len(keys))
	for d := range digits {
		places := &counts[d]
		next, most := 0, 0
		for i, n := range places {
			places[i], next, most = next, next+n, max(most, n)
		}
		if most == len(keys) {
			continue // all have the same digit
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
