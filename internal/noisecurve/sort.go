package noisecurve

import (
	"cmp"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/radix"
)

// sortBlocks sorts blocks by a finite value, and blocks of equal value by their place on the grid.
func sortBlocks(blocks []block, value func(b *block) float64) {
	places := radix.Order(len(blocks), func(i int) float64 { return value(&blocks[i]) })
	for i := range blocks { // along each circle of places, without memory for all blocks
		first, at := blocks[i], i
		for from := places[at].At; from != i; from = places[at].At {
			blocks[at], places[at].At = blocks[from], at
			at = from
		}
		blocks[at], places[at].At = first, at
	}
	for from := 0; from < len(places); {
		to := from + 1
		for to < len(places) && places[to].Same(places[from]) {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(blocks[from:to], func(a, b block) int { return cmp.Compare(a.order, b.order) })
		}
		from = to
	}
}
