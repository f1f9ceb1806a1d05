package paper

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// matchRows returns w with its rows reordered and their signs changed to match the rows of a reference, and the mean
// absolute cosine between matched rows. Pairs of rows are chosen greedily, the largest absolute cosine first. Rows of w
// without a match fill the remaining places in their order.
func matchRows(w, reference solve.Transform) (solve.Transform, float64) {
	type pair struct {
		row, at int
		cosine  float64
	}
	var pairs []pair
	norms, referenceNorms := w.RowNorms(), reference.RowNorms()
	for i := range w.K {
		for j := range reference.K {
			if d := norms[i] * referenceNorms[j]; d > 0 {
				pairs = append(pairs, pair{i, j, floats.Dot(w.Row(i), reference.Row(j)) / d})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(math.Abs(b.cosine), math.Abs(a.cosine)) })
	out := solve.NewTransform(w.K, w.N)
	used, filled := make([]bool, w.K), make([]bool, w.K)
	sum, count := 0.0, 0
	for _, p := range pairs {
		if used[p.row] || p.at >= w.K || filled[p.at] {
			continue
		}
		used[p.row], filled[p.at] = true, true
		floats.AddScaled(out.Row(p.at), math.Copysign(1, p.cosine), w.Row(p.row))
		sum += math.Abs(p.cosine)
		count++
	}
	free := 0
	for i := range w.K {
		if used[i] {
			continue
		}
		for filled[free] {
			free++
		}
		filled[free] = true
		copy(out.Row(free), w.Row(i))
	}
	return out, sum / float64(max(1, count))
}

// missingRows returns the number of rows of a reference for which w has no row with an absolute cosine of at least 0.9
// and at least a third of the norm.
func missingRows(w, reference solve.Transform) (missing int) {
	norms, referenceNorms := w.RowNorms(), reference.RowNorms()
	for j := range reference.K {
		found := false
		for i := range w.K {
			product := math.Abs(floats.Dot(w.Row(i), reference.Row(j)))
			found = found || norms[i] >= referenceNorms[j]/3 && product >= 0.9*norms[i]*referenceNorms[j]
		}
		if !found {
			missing++
		}
	}
	return missing
}
