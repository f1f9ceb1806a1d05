package stage

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Denoise implements Stage.
func (l *Local) Denoise(ctx context.Context, dst patchify.Plane, in Input, o Options) error {
	g, err := patchify.NewGrid(in.Noisy.Width, in.Noisy.Height, l.PatchSize, o.Stride)
	if err != nil {
		return err
	}
	l.prepareSolvers()
	scratch := make([]*localScratch, parallel.Workers(o.Workers))
	for i := range scratch {
		scratch[i] = l.scratch.Get().(*localScratch)
		defer l.scratch.Put(scratch[i])
	}
	return patchify.Average(ctx, dst, g, o.Workers, func(worker int, b patchify.Band, acc *patchify.Accumulator) {
		s := scratch[worker]
		if l.Classifier == nil {
			l.denoiseRuns(s, in.Noisy, b.Grid, acc)
		} else {
			l.denoiseClusters(s, in.Noisy, in.Pilot, b.Grid, acc)
		}
		o.Progress.add(localCost * float64(b.Grid.Len()))
	})
}

// localScratch is the scratch memory of one worker.
type localScratch struct {
	panel    *solve.PanelScratch
	y        []float32 // panel of patches
	clusters clustering
}

func (l *Local) newScratch() *localScratch {
	return &localScratch{panel: l.solvers[0]().NewScratch(), y: make([]float32, l.PatchSize*l.PatchSize*solve.Lanes),
		clusters: newClustering(l.PatchSize, len(l.solvers))}
}

// denoiseRuns denoises the patches of a band in the order of the grid.
func (l *Local) denoiseRuns(s *localScratch, noisy patchify.Plane, g patchify.Grid, acc *patchify.Accumulator) {
	for at := 0; at < g.Len(); at += solve.Lanes {
		end := min(at+solve.Lanes, g.Len())
		l.extractRuns(s.y, noisy, g, at, end)
		l.solvers[0]().Solve(s.y, s.panel)
		g.Runs(at, end, func(i int, xs []int, y int) { acc.AddRun(s.y, solve.Lanes, i-at, xs, y) })
	}
}

// extractRuns writes patches from..to-1 to the lanes of a panel. Other lanes keep their content, which affects no other lane.
func (l *Local) extractRuns(panel []float32, p patchify.Plane, g patchify.Grid, from, to int) {
	g.Runs(from, to, func(i int, xs []int, y int) {
		patchify.ExtractRun(panel, solve.Lanes, i-from, p, xs, y, l.PatchSize)
	})
}

// denoiseClusters denoises the patches of a band cluster by cluster. Only the last panel of a cluster may not be full.
func (l *Local) denoiseClusters(s *localScratch, noisy, pilot patchify.Plane, g patchify.Grid, acc *patchify.Accumulator) {
	s.clusters.sortPanels(l.Classifier, g.Len(), func(panel []float32, from, to int) { l.extractRuns(panel, pilot, g, from, to) })
	for c, solver := range l.solvers {
		for members := range s.clusters.chunks(c, solve.Lanes) {
			for lane, i := range members {
				x, y := g.At(int(i))
				patchify.ExtractLane(s.y, solve.Lanes, lane, noisy, x, y, l.PatchSize)
			}
			solver().Solve(s.y, s.panel)
			for lane, i := range members {
				x, y := g.At(int(i))
				acc.AddLane(s.y, solve.Lanes, lane, x, y)
			}
		}
	}
}
