package stage

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Denoise implements Stage.
func (l *Local) Denoise(ctx context.Context, dst patchify.Plane, in Input, o Options) error {
	g, err := patchify.NewGrid(in.Noisy.Width, in.Noisy.Height, l.PatchSize, o.stride())
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
	rows     []float32 // the patches of a group of lanes
	clusters clustering
	patches  [solve.Lanes]int32 // numbers of the patches of a panel
	corners  [solve.Lanes]int32
}

func (l *Local) newScratch() *localScratch {
	return &localScratch{panel: l.solvers[0]().NewScratch(), y: make([]float32, l.PatchSize*l.PatchSize*solve.Lanes),
		rows: make([]float32, patchPanels*GroupSize*solve.Lanes), clusters: newClustering(l.PatchSize, len(l.solvers))}
}

// denoiseRuns denoises the patches of a band in the order of the grid.
func (l *Local) denoiseRuns(s *localScratch, noisy patchify.Plane, g patchify.Grid, acc *patchify.Accumulator) {
	for at := 0; at < g.Len(); at += solve.Lanes {
		l.denoisePanel(s, l.solvers[0](), noisy, g, s.run(at, min(at+solve.Lanes, g.Len())), acc)
	}
}

// run returns the numbers from..to-1.
func (s *localScratch) run(from, to int) []int32 {
	numbers := s.patches[:to-from]
	for i := range numbers {
		numbers[i] = int32(from + i)
	}
	return numbers
}

// denoiseClusters denoises the patches of a band cluster by cluster. Only the last panel of a cluster may not be full.
func (l *Local) denoiseClusters(s *localScratch, noisy, pilot patchify.Plane, g patchify.Grid,
	acc *patchify.Accumulator) {
	s.clusters.sortPanels(l.Classifier, g.Len(), func(panel []float32, from, to int) {
		l.extract(s, panel, pilot, g, s.run(from, to))
	})
	for c, solver := range l.solvers {
		for members := range s.clusters.chunks(c, solve.Lanes) {
			l.denoisePanel(s, solver(), noisy, g, members, acc)
		}
	}
}

func (l *Local) denoisePanel(s *localScratch, solver solve.Solver, noisy patchify.Plane, g patchify.Grid,
	patches []int32, acc *patchify.Accumulator) {
	l.extract(s, s.y, noisy, g, patches)
	solver.Solve(s.y, s.panel)
	l.add(s, g, patches, acc)
}

// extract writes patches of a grid to the lanes of a panel. What is in other lanes afterwards affects no other lane.
func (l *Local) extract(s *localScratch, panel []float32, p patchify.Plane, g patchify.Grid, patches []int32) {
	if l.PatchSize != nonLocalPatch {
		for lane, i := range patches {
			x, y := g.At(int(i))
			patchify.ExtractLane(panel, solve.Lanes, lane, p, x, y, l.PatchSize)
		}
		return
	}
	for lane, i := range patches {
		x, y := g.At(int(i))
		s.corners[lane] = int32(y*p.Width + x)
	}
	for at := 0; at < len(patches); at += GroupSize {
		gather(panel[at:], s.rows, p, s.corners[at:min(at+GroupSize, len(patches))])
	}
}

// add adds the solutions of patches to the sums.
func (l *Local) add(s *localScratch, g patchify.Grid, patches []int32, acc *patchify.Accumulator) {
	if l.PatchSize != nonLocalPatch {
		for lane, i := range patches {
			x, y := g.At(int(i))
			acc.AddLane(s.y, solve.Lanes, lane, x, y)
		}
		return
	}
	for lane, i := range patches {
		s.corners[lane] = acc.Index(g.At(int(i)))
	}
	sums, pitch := acc.Sums()
	for at := 0; at < len(patches); at += GroupSize {
		scatterRows(s.rows, s.y[at:])
		group(s.corners[at:min(at+GroupSize, len(patches))], pitch).AddTo(sums, s.rows)
	}
}
