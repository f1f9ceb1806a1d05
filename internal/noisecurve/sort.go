package noisecurve

import (
	"cmp"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/radix"
)

// sortBlocks sorts blocks by a finite value, and blocks of equal value by their place on the grid.
func sortBlocks(blocks []block, value func(b *block) float64) {
	from := radix.Order(len(blocks), func(i int) float64 { return value(&blocks[i]) })
	for i := range blocks { // along each circle of places, without memory for all blocks
		first, at := blocks[i], int32(i)
		for next := from[at]; next != int32(i); next = from[at] {
			blocks[at], from[at] = blocks[next], at
			at = next
		}
		blocks[at], from[at] = first, at
	}
	for from := 0; from < len(blocks); {
		to := from + 1
		for to < len(blocks) && value(&blocks[to]) == value(&blocks[from]) {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(blocks[from:to], func(a, b block) int { return cmp.Compare(a.order, b.order) })
		}
		from = to
	}
}
