package model

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Matches are the groups of similar patches that the non-local stages of a run on a plane work on. The first two stages
// search, each on its own pilot: regular texture that the first pilot has lost is there again in the second. Later ones
// only choose among more patches that the second has found, on their own pilots, which is within 0.01 dB of searching
// again. A run on another plane of the same image can take the same groups.
type Matches struct {
	stages   int  // that a run has
	halved   bool // the plane is at half its size
	grid     patchify.Grid
	matching patchify.Matching
	passes   []*patchify.Groups
	found    int // passes that are there
	next     int
	half     *Matches // of the plane at half its size
}

// searches is how many stages search. The last of them looks for candidates if others follow.
const (
	searches   = 2
	candidates = 2 * GroupSize
)

// start forgets what there is.
func (m *Matches) start(stages int) { m.stages, m.found, m.next = stages, 0, 0 }

// again prepares for another run on what there is.
func (m *Matches) again() { m.next = 0 }

// groups returns the groups of the next stage.
func (m *Matches) groups(ctx context.Context, l *NonLocal, g patchify.Grid, pilot patchify.Plane, workers int) (*patchify.Groups, error) {
	pass, matching := m.next, matchingOf(l, m.halved)
	m.next++
	if pass == 0 && m.found == 0 {
		m.grid, m.matching = g, matching
	}
	groups, fit := m.pass(pass), m.fit(g, matching)
	switch {
	case fit && pass < m.found:
		return groups, nil
	case fit && pass == m.found:
		m.found++
	default:
		groups = new(patchify.Groups)
	}
	if fit && pass >= searches {
		return groups, groups.Nearest(ctx, m.pass(searches-1), GroupSize, pilot, l.PatchSize, workers)
	}
	if pass == searches-1 && m.stages > searches {
		matching.Count = candidates
	}
	return groups, matching.Find(ctx, groups, pilot, g, workers)
}

// matchingOf is how a stage searches. At half the size, half the window reaches as far.
func matchingOf(l *NonLocal, halved bool) patchify.Matching {
	m := l.matching()
	if halved {
		m.Window = max(m.Window/2, 1)
	}
	return m
}

func (m *Matches) pass(i int) *patchify.Groups {
	for i >= len(m.passes) {
		m.passes = append(m.passes, new(patchify.Groups))
	}
	return m.passes[i]
}

// fit reports whether a stage can take groups that were found for the first one.
func (m *Matches) fit(g patchify.Grid, matching patchify.Matching) bool {
	return m.matching.Window <= matching.Window && g.PatchSize == m.grid.PatchSize && g.Stride == m.grid.Stride &&
		len(g.Xs) == len(m.grid.Xs) && len(g.Ys) == len(m.grid.Ys)
}
