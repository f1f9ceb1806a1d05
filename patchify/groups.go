package patchify

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Groups are similar patches for each patch of a grid, in its order: Count corners y*Width+x, that of the patch itself
// first, then by their distance from it.
type Groups struct {
	Count   int
	Corners []int32
}

// Of returns the group of patch i of the grid.
func (g *Groups) Of(i int) []int32 { return g.Corners[i*g.Count:][:g.Count] }

func (g *Groups) resize(patches, count int) {
	g.Count = count
	if n := patches * count; cap(g.Corners) < n {
		g.Corners = make([]int32, n)
	} else {
		g.Corners = g.Corners[:n]
	}
}

// Find fills groups for all patches of the pilot's grid, as Matcher.Match does.
func (m Matching) Find(ctx context.Context, groups *Groups, pilot Plane, g Grid, workers int) error {
	groups.resize(g.Len(), m.Count)
	workers = parallel.Workers(workers)
	matchers := make([]*Matcher, workers)
	bands := g.strips(Alignment(g.Stride))
	return parallel.For(ctx, workers, len(bands), func(worker, i int) {
		if matchers[worker] == nil {
			matchers[worker] = NewMatcher(m)
		}
		b := bands[i]
		matchers[worker].Match(groups.Corners[b.From*m.Count:][:b.Grid.Len()*m.Count], pilot, b.Grid)
	})
}
