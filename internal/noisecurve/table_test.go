package noisecurve

import (
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// A table finds the interval that a binary search finds, anywhere.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Float64Range(-1e6, 1e6)
		xs := rapid.SliceOfNDistinct(number, 2, 60, rapid.ID[float64]).Draw(t, "xs")
		slices.Sort(xs)
		ys := rapid.SliceOfN(number, len(xs), len(xs)).Draw(t, "ys")
		table := newTable(xs, ys)
		inside := rapid.Float64Range(xs[0], xs[len(xs)-1])
		x := rapid.OneOf(rapid.SampledFrom(xs), inside, number, rapid.Just(math.Inf(1)), rapid.Just(math.Inf(-1))).
			Draw(t, "x")
		i := min(max(sort.SearchFloat64s(xs, x)-1, 0), len(xs)-2)
		if got, want := table.at(x), line(xs, ys, i, x); got != want && (got == got || want == want) {
			t.Errorf("%g at %g, want %g", got, x, want)
		}
	})
}
