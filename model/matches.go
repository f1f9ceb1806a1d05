package model

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Matches are the groups of similar patches that the non-local stages of a run on a plane work on, each found on its own
// pilot. A run on another plane of the same image can take them.
type Matches struct {
	halved bool // the plane is at half its size
	passes []pass
	found  int // passes that are there
	next   int
	half   *Matches // of the plane at half its size
}

type pass struct {
	search search
	groups patchify.Groups
}

// search is what the groups of a stage depend on besides the plane.
type search struct {
	patchify.Matching
	step, offset int
	residual     float64
}

// searchOf is how a stage searches. At half the size, half the window reaches as far.
func searchOf(l *NonLocal, o Options, halved bool) search {
	s := search{l.matching(), l.step(o), l.offset(o), l.Residual}
	if halved {
		s.Window = max(s.Window/2, 1)
	}
	return s
}

// start forgets what there is.
func (m *Matches) start() { m.found, m.next = 0, 0 }

// again prepares for another run on what there is.
func (m *Matches) again() { m.next = 0 }

// groups returns the groups of the next stage, with the memory of a plane to search in.
func (m *Matches) groups(ctx context.Context, l *NonLocal, g patchify.Grid, in Input, memory patchify.Plane, o Options) (*patchify.Groups, error) {
	search := searchOf(l, o, m.halved)
	p := new(pass)
	switch m.next {
	case m.found:
		if m.found == len(m.passes) {
			m.passes = append(m.passes, pass{})
		}
		p = &m.passes[m.found]
		m.found++
	default:
		if there := &m.passes[m.next]; there.search == search {
			m.next++
			return &there.groups, nil
		}
	}
	m.next++
	p.search = search
	return &p.groups, search.Find(ctx, &p.groups, Searched(memory, in, l.Residual), g, o.Workers)
}

// Searched returns the plane that patches are compared on, pilot + residual (noisy - pilot), in memory of the same size.
// Without a residual it is the pilot.
func Searched(memory patchify.Plane, in Input, residual float64) patchify.Plane {
	if residual == 0 {
		return in.Pilot
	}
	r := float32(residual)
	for i, v := range in.Pilot.Pix {
		memory.Pix[i] = v + r*(in.Noisy.Pix[i]-v)
	}
	return memory
}

// reach is how far samples of the planes may be that have a say in a sample of the result of stages.
func reach(steps []step, halved bool) int {
	sum := 0
	for i, s := range steps {
		switch stage := s.Stage.(type) {
		case *NonLocal:
			search := searchOf(stage, s.o, halved)
			sum += search.Reach() + search.Window + search.PatchSize - 1 // of the matching, and of the patches that it finds
		case *Coarse:
			sum = max(sum, 2*reach(steps[:i], true)) + stage.Reach()
		default:
			sum += s.Reach()
		}
	}
	return sum
}
