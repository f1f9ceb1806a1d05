package stage

import "sync"

// Progress tells how much of the work of one or more runs is done. The nil Progress tells nobody.
type Progress struct {
	mu     sync.Mutex
	total  float64
	done   float64
	told   float64
	report func(share float64)
}

// NewProgress returns a Progress that calls report with the share of the work that is done, from 0 to 1, about a
// hundred times and never twice at the same time. If report is nil, so is the Progress.
func NewProgress(report func(share float64)) *Progress {
	if report == nil {
		return nil
	}
	return &Progress{report: report}
}

// Expect adds work to what will be done (see Steps.Work). All of it must be expected before the first run.
func (p *Progress) Expect(work float64) {
	if p != nil {
		p.total += work
	}
}

func (p *Progress) add(work float64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += work
	const step = 0.01
	if share := min(p.done/p.total, 1); share >= p.told+step {
		p.told = share
		p.report(share)
	}
}

// Costs of a patch of a local stage, of a group of a pass and of a patch of a guided stage, in the unit of Work.
const (
	localCost  = 1
	groupCost  = 25
	guidedCost = 1.5
)

func square(n int) float64 { return float64(n) * float64(n) }
