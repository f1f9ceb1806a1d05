package noisecurve

import (
	"cmp"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/radix"
)

// byCoarse sorts blocks by their coarse energy, and those of equal energy by their place on the grid.
func byCoarse(blocks []block) {
	from := ordered(blocks, func(b *block) float64 { return b.coarse })
	for i := range blocks { // along each circle of places, without memory for all blocks
		first, at := blocks[i], int32(i)
		for next := from[at]; next != int32(i); next = from[at] {
			blocks[at], from[at] = blocks[next], at
			at = next
		}
		blocks[at], from[at] = first, at
	}
}

// byMean returns the places of blocks from the least to the largest mean. Ties are settled as by byCoarse.
func byMean(blocks []block) []int32 {
	return ordered(blocks, func(b *block) float64 { return b.mean })
}

// ordered returns the places of blocks by a finite value.
func ordered(blocks []block, value func(b *block) float64) []int32 {
	order := radix.Order(len(blocks), func(i int) float64 { return value(&blocks[i]) })
	for from := 0; from < len(order); {
		first, to := value(&blocks[order[from]]), from+1
		for to < len(order) && value(&blocks[order[to]]) == first {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(order[from:to], func(a, b int32) int {
				return cmp.Compare(blocks[a].order, blocks[b].order)
			})
		}
		from = to
	}
	return order
}
