package patchify

import (
	"context"
	"fmt"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Groups holds a group of similar patches for each patch of a grid, in the order of the grid. A group is Count corners,
// each y*Width+x: that of the patch itself, then the others in order of distance.
type Groups struct {
	Count   int
	Corners []int32
	grid    Grid
}

// Of returns the group of patch i of the grid.
func (g *Groups) Of(i int) []int32 { return g.Corners[i*g.Count:][:g.Count] }

// Rows returns the groups of the patches of another grid with the same columns, or nil if the groups of some of its
// rows are not there.
func (g *Groups) Rows(of Grid) *Groups {
	if !slices.Equal(of.Xs, g.grid.Xs) {
		return nil
	}
	some := &Groups{Count: g.Count, grid: of}
	for _, y := range of.Ys {
		row, found := slices.BinarySearch(g.grid.Ys, y)
		if !found {
			return nil
		}
		n := len(of.Xs) * g.Count
		some.Corners = append(some.Corners, g.Corners[row*n:][:n]...)
	}
	return some
}

func (g *Groups) resize(grid Grid, count int) {
	g.grid, g.Count = grid, count
	if n := grid.Len() * count; cap(g.Corners) < n {
		g.Corners = make([]int32, n)
	} else {
		g.Corners = g.Corners[:n]
	}
}

// check returns an error unless the groups were found on a plane of the size of p.
func (g *Groups) check(p Plane) error {
	if err := g.grid.check(p); err != nil {
		return fmt.Errorf("earlier groups: %w", err)
	}
	if len(g.Corners) != g.grid.Len()*g.Count {
		return badArgument("earlier groups: %d corners for %d groups of %d", len(g.Corners), g.grid.Len(), g.Count)
	}
	return nil
}

// Find sets groups to the groups of all patches of a grid for the pilot, as Matcher.Match finds them. With workers < 1
// there is one for each processor; the result does not depend on their number. It returns errors of the arguments and
// of the context.
func (m Matching) Find(ctx context.Context, groups *Groups, pilot Plane, g Grid, workers int) error {
	return m.FindAgain(ctx, groups, nil, pilot, g, workers)
}

// FindAgain is like Find, for a better pilot. It takes the far offsets from earlier groups instead of a coarse search,
// which is faster. The plane of the earlier groups must have the same size; their grid may be another one. A group
// depends on the earlier groups of all patches in the same Alignment(g.Stride) rows and columns. If earlier is nil,
// there is a coarse search.
func (m Matching) FindAgain(ctx context.Context, groups, earlier *Groups, pilot Plane, g Grid, workers int) error {
	if err := m.check(pilot, g); err != nil {
		return err
	}
	if ctx == nil || groups == nil {
		return badArgument("no context or no groups")
	}
	if earlier != nil {
		if err := earlier.check(pilot); err != nil {
			return err
		}
		if earlier == groups {
			return badArgument("earlier groups would be overwritten")
		}
	}
	groups.resize(g, m.Count)
	bands := g.strips(Alignment(g.Stride))
	workers = min(parallel.Workers(workers), len(bands))
	matchers := make([]*Matcher, workers)
	return parallel.For(ctx, workers, len(bands), func(worker, i int) {
		if matchers[worker] == nil {
			matchers[worker] = NewMatcher(m)
			matchers[worker].earlier = earlier
		}
		b := bands[i]
		matchers[worker].Match(groups.Corners[b.From*m.Count:][:b.Grid.Len()*m.Count], pilot, b.Grid)
	})
}
