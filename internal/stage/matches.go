package stage

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Matches holds the groups of similar patches that the passes of a run found, each on its own pilot. A run on another
// plane of the same image can use them instead of searching again.
type Matches struct {
	halved bool // the plane has half the size of the image
	passes []pass
	found  int // number of valid passes
	next   int
	half   *Matches // groups on the plane at half its size
}

type pass struct {
	search search
	groups patchify.Groups
}

// search holds everything that the groups of a stage depend on except the planes.
type search struct {
	patchify.Matching
	step, rows, offset int
	residual           float64
}

func searchOf(l *NonLocal, o Options, halved bool) search {
	return search{l.matching(halved), l.step(o), l.rowStep(o), l.Offset, l.Residual}
}

// of returns the groups that a search would find, or nil if they are others: all of them, or those of some rows of
// reference patches.
func (p *pass) of(s search, g patchify.Grid) *patchify.Groups {
	if p.search == s {
		return &p.groups
	}
	if s.rows = p.search.rows; s != p.search {
		return nil
	}
	return p.groups.Rows(g)
}

// start removes all groups.
func (m *Matches) start() { m.found, m.next = 0, 0 }

// again starts another run with the same groups.
func (m *Matches) again() { m.next = 0 }

// groups returns the groups of the next stage l: those of an earlier run if they were found by the same search, or new
// ones. plane returns the plane to search. New groups start from those of the stage before.
func (m *Matches) groups(ctx context.Context, l *NonLocal, g patchify.Grid, plane func() patchify.Plane,
	o Options) (*patchify.Groups, error) {
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
		known := &m.passes[m.next]
		if groups := known.of(search, g); groups != nil {
			m.next++
			return groups, nil
		}
	}
	var earlier *patchify.Groups
	if m.next > 0 {
		earlier = &m.passes[m.next-1].groups
	}
	m.next++
	p.search = search
	return &p.groups, search.FindAgain(ctx, &p.groups, earlier, plane(), g, o.Workers)
}

// MatchingPlane returns the plane on which patches are compared, pilot + residual (noisy - pilot), written to memory of
// the same size. With a residual of 0 it returns the pilot itself.
func MatchingPlane(memory patchify.Plane, in Input, residual float64) patchify.Plane {
	if residual == 0 {
		return in.Pilot
	}
	r := float32(residual)
	for i, v := range in.Pilot.Pix {
		memory.Pix[i] = v + r*(in.Noisy.Pix[i]-v)
	}
	return memory
}
