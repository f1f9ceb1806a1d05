package model

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Denoise implements Stage.
func (l *Local) Denoise(ctx context.Context, dst, noisy, pilot patchify.Plane, o Options) error {
	g, err := patchify.NewGrid(noisy.Width, noisy.Height, l.PatchSize, o.Stride)
	if err != nil {
		return err
	}
	l.prepareSolvers(o.Workers)
	scratch := make([]*localScratch, parallel.Workers(o.Workers))
	for i := range scratch {
		scratch[i] = l.scratch.Get()
		defer l.scratch.Put(scratch[i])
	}
	return patchify.Average(ctx, dst, g, o.Workers, func(worker int, b patchify.Band, acc *patchify.Accumulator) {
		if l.Classifier == nil {
			l.denoiseRuns(scratch[worker], noisy, b.Grid, acc)
		} else {
			l.denoiseClusters(scratch[worker], noisy, pilot, b.Grid, acc)
		}
	})
}

// localScratch is the memory of one worker.
type localScratch struct {
	panel    *PanelScratch
	y        []float32 // panel of patches
	features []float32 // panel of features
	scores   []float32 // panel of the clusters' scores
	bounds   []int     // cluster c is order[bounds[c]:bounds[c+1]]
	next     []int
	labels   []int32 // of the patches of a band
	order    []int32 // patches of the band, stably sorted by label
}

func (l *Local) newScratch() *localScratch {
	n, clusters := l.PatchSize*l.PatchSize, len(l.solvers)
	return &localScratch{panel: l.solvers[0].NewScratch(), y: make([]float32, n*Lanes),
		features: make([]float32, (n-1)*Lanes), scores: make([]float32, clusters*Lanes), bounds: make([]int, clusters+1)}
}

// denoiseRuns solves the patches of a band in the order of the grid.
func (l *Local) denoiseRuns(s *localScratch, noisy patchify.Plane, g patchify.Grid, acc *patchify.Accumulator) {
	for at := 0; at < g.Len(); at += Lanes {
		end := min(at+Lanes, g.Len())
		l.extractRuns(s.y, noisy, g, at, end)
		l.solvers[0].Solve(s.y, s.panel)
		g.Runs(at, end, func(i int, xs []int, y int) { acc.AddRun(s.y, Lanes, i-at, xs, y) })
	}
}

// extractRuns fills a panel with the patches from..to-1. Lanes left over keep what they had, which no other lane sees.
func (l *Local) extractRuns(panel []float32, p patchify.Plane, g patchify.Grid, from, to int) {
	g.Runs(from, to, func(i int, xs []int, y int) {
		patchify.ExtractRun(panel, Lanes, i-from, p, xs, y, l.PatchSize)
	})
}

// denoiseClusters solves the patches of a band cluster by cluster, in panels that are full but for the last of each.
func (l *Local) denoiseClusters(s *localScratch, noisy, pilot patchify.Plane, g patchify.Grid, acc *patchify.Accumulator) {
	l.label(s, pilot, g)
	s.sortByCluster()
	for c, solver := range l.solvers {
		for members := range slices.Chunk(s.order[s.bounds[c]:s.bounds[c+1]], Lanes) {
			for lane, i := range members {
				x, y := g.At(int(i))
				patchify.ExtractLane(s.y, Lanes, lane, noisy, x, y, l.PatchSize)
			}
			solver.Solve(s.y, s.panel)
			for lane, i := range members {
				x, y := g.At(int(i))
				acc.AddLane(s.y, Lanes, lane, x, y)
			}
		}
	}
}

// label writes the cluster of each patch of the grid to s.labels.
func (l *Local) label(s *localScratch, pilot patchify.Plane, g patchify.Grid) {
	s.labels = slices.Grow(s.labels[:0], g.Len())[:g.Len()]
	var labels [Lanes]int32
	for at := 0; at < g.Len(); at += Lanes {
		end := min(at+Lanes, g.Len())
		l.extractRuns(s.y, pilot, g, at, end)
		l.Classifier.Features(s.features, s.y)
		l.Classifier.Nearest(&labels, s.features, s.scores)
		copy(s.labels[at:end], labels[:])
	}
}

// sortByCluster fills s.order and s.bounds by s.labels.
func (s *localScratch) sortByCluster() {
	clear(s.bounds)
	for _, label := range s.labels {
		s.bounds[label+1]++
	}
	for c := range s.bounds[1:] {
		s.bounds[c+1] += s.bounds[c]
	}
	s.next = append(s.next[:0], s.bounds...)
	s.order = slices.Grow(s.order[:0], len(s.labels))[:len(s.labels)]
	for i, label := range s.labels {
		s.order[s.next[label]] = int32(i)
		s.next[label]++
	}
}
