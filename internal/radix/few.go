package radix

import "slices"

// Files of 8 bits have few values, and counting them takes less time than sorting. A table finds them. Where there are
// more than mostValues, or three share two places of the table, the digits sort.
const (
	tableBits  = 12
	mostValues = 1 << 9
)

// count is a value and how often it is there; 0 times means none.
type count struct {
	key   uint32
	times int32
}

// sortFew is Sort for samples of few values. If there are more, it changes nothing and returns false.
func sortFew(samples []float32) bool {
	if len(samples) < 8*mostValues {
		return false
	}
	var table [1<<tableBits + 1]count
	var values [mostValues]int32 // their places in the table
	n := 0
	for _, v := range samples {
		k := key32(v)
		at := k * 0x9e3779b1 >> (32 - tableBits) // Fibonacci hashing
		if table[at].times > 0 && table[at].key != k {
			at++
		}
		c := &table[at]
		if c.times == 0 {
			if n == mostValues {
				return false
			}
			values[n], c.key = int32(at), k
			n++
		} else if c.key != k {
			return false
		}
		c.times++
	}
	found := values[:n]
	slices.SortFunc(found, func(a, b int32) int {
		if table[a].key < table[b].key {
			return -1
		}
		return 1
	})
	for _, at := range found {
		v, times := sampleOf(table[at].key), table[at].times
		for i := range times {
			samples[i] = v
		}
		samples = samples[times:]
	}
	return true
}
