package noisecurve

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Blocks are in the order that comparisons give, with ties of value, zeros of both signs and negative values.
func TestByCoarse(t *testing.T) {
	negativeZero := math.Copysign(0, -1)
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SampledFrom([]float64{0, negativeZero, 1, -1, 0.5, math.MaxFloat64, -math.MaxFloat64,
			math.SmallestNonzeroFloat64})
		values := rapid.SliceOfN(rapid.OneOf(few, rapid.Float64Range(-2, 2)), 0, 300).Draw(t, "values")
		blocks := make([]block, len(values))
		for i, v := range values {
			blocks[i] = block{coarse: v, fine: float64(i), order: int32(i)}
		}
		places := rapid.Permutation(blocks).Draw(t, "blocks")
		want := slices.Clone(places)
		slices.SortFunc(want, func(a, b block) int {
			return cmp.Or(cmp.Compare(a.coarse, b.coarse),
				cmp.Compare(a.order, b.order))
		})
		byCoarse(places)
		for i := range want {
			if places[i].order != want[i].order {
				t.Fatalf("at %d is block %d, want %d", i, places[i].order, want[i].order)
			}
		}
	})
}

func BenchmarkByCoarse(b *testing.B) {
	rng := random(1)
	blocks := make([]block, maxBlocks)
	for i := range blocks {
		blocks[i] = block{coarse: rng.ExpFloat64(), order: int32(i)}
	}
	scratch := make([]block, len(blocks))
	for b.Loop() {
		copy(scratch, blocks)
		byCoarse(scratch)
	}
}
