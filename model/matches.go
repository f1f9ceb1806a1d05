package model

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Matches are the groups of similar patches that the non-local stages of a run on a plane work on. The first two stages
// search, each on its own pilot: regular texture that the first pilot has lost is there again in the second. Later ones
// take the groups of the second, which is within 0.01 dB of searching again. A run on another plane of the same image can
// take all groups.
type Matches struct {
	halved   bool // the plane is at half its size
	grid     patchify.Grid
	matching patchify.Matching
	passes   [searches]patchify.Groups
	found    int // passes that are there
	next     int
	half     *Matches // of the plane at half its size
}

// searches is how many stages search.
const searches = 2

// start forgets what there is.
func (m *Matches) start() { m.found, m.next = 0, 0 }

// again prepares for another run on what there is.
func (m *Matches) again() { m.next = 0 }

// groups returns the groups of the next stage.
func (m *Matches) groups(ctx context.Context, l *NonLocal, g patchify.Grid, pilot patchify.Plane, workers int) (*patchify.Groups, error) {
	pass, matching := min(m.next, searches-1), matchingOf(l, m.halved)
	m.next++
	if m.found == 0 {
		m.grid, m.matching = g, matching
	}
	groups := &m.passes[pass]
	switch fit := m.fit(g, matching); {
	case fit && pass < m.found:
		return groups, nil
	case fit && pass == m.found:
		m.found++
	default:
		groups = new(patchify.Groups)
	}
	return groups, matching.Find(ctx, groups, pilot, g, workers)
}

// fit reports whether a stage can take groups that were found for the first one.
func (m *Matches) fit(g patchify.Grid, matching patchify.Matching) bool {
	return m.matching.Window <= matching.Window && g.PatchSize == m.grid.PatchSize && g.Stride == m.grid.Stride &&
		len(g.Xs) == len(m.grid.Xs) && len(g.Ys) == len(m.grid.Ys)
}

// matchingOf is how a stage searches. At half the size, half the window reaches as far.
func matchingOf(l *NonLocal, halved bool) patchify.Matching {
	m := l.matching()
	if halved {
		m.Window = max(m.Window/2, 1)
	}
	return m
}
