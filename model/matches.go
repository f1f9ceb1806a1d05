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
	halved bool   // the plane is at half its size
	first  search // of the first stage; only stages that search alike share groups
	passes [searches]patchify.Groups
	found  int // passes that are there
	next   int
	half   *Matches // of the plane at half its size
}

// searches is how many stages search that search alike.
const searches = 2

// search is what the groups of a stage depend on besides the plane.
type search struct {
	patchify.Matching
	step int
}

// searchOf is how a stage searches. At half the size, half the window reaches as far.
func searchOf(l *NonLocal, o Options, halved bool) search {
	s := search{l.matching(), l.step(o)}
	if halved {
		s.Window = max(s.Window/2, 1)
	}
	return s
}

// start forgets what there is.
func (m *Matches) start() { m.found, m.next = 0, 0 }

// again prepares for another run on what there is.
func (m *Matches) again() { m.next = 0 }

// groups returns the groups of the next stage.
func (m *Matches) groups(ctx context.Context, l *NonLocal, g patchify.Grid, pilot patchify.Plane, o Options) (*patchify.Groups, error) {
	pass, search := min(m.next, searches-1), searchOf(l, o, m.halved)
	m.next++
	if m.found == 0 {
		m.first = search
	}
	groups := &m.passes[pass]
	switch alike := search == m.first; {
	case alike && pass < m.found:
		return groups, nil
	case alike && pass == m.found:
		m.found++
	default:
		groups = new(patchify.Groups)
	}
	return groups, search.Find(ctx, groups, pilot, g, o.Workers)
}

// reach is how far samples of the pilots may be that have a say in a sample of the result of stages.
func reach(steps []step, halved bool) int {
	var first search
	sum, found := 0, 0
	for i, s := range steps {
		switch stage := s.Stage.(type) {
		case *NonLocal:
			search := searchOf(stage, s.o, halved)
			group := search.Window + search.PatchSize - 1 // how far samples of a group are from its reference
			if found == 0 {
				first = search
			}
			switch {
			case search != first:
				sum += search.Reach() + group
			case found < searches:
				found++
				sum += search.Reach() + group
			default:
				sum += 2 * group
			}
		case *Coarse:
			sum = max(sum, 2*reach(steps[:i], true)) + stage.Reach()
		default:
			sum += s.Reach()
		}
	}
	return sum
}
