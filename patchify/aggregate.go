package patchify

import (
	"context"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Work adds every patch of a band to acc, which starts at zero. Several goroutines call it at a time. worker is less
// than the number of workers and is the same for no two calls at a time, so it may index scratch memory.
type Work func(worker int, band Band, acc *Accumulator)

// Average overwrites dst with the mean of the patches that work adds, each patch of the grid exactly once, with
// Accumulator.AddLane or AddRun, or to Accumulator.Sums. The grid must be one for planes of the size of dst. With
// workers < 1 there is one for each processor; the result does not depend on their number. It returns errors of the
// arguments and of the context.
func Average(ctx context.Context, dst Plane, g Grid, workers int, work Work) error {
	if err := g.checkCall(ctx, dst, work == nil); err != nil {
		return err
	}
	return newAggregation(dst, g).run(ctx, g.bands(workers), workers, work)
}

// AverageHighBands is Average with one band for each worker. It is for work that looks at many rows above and below its
// band, and adds the patches from top to bottom: see Accumulator.Done.
func AverageHighBands(ctx context.Context, dst Plane, g Grid, workers int, work Work) error {
	if err := g.checkCall(ctx, dst, work == nil); err != nil {
		return err
	}
	a := newAggregation(dst, g)
	a.inOrder = true
	return a.run(ctx, g.highBands(workers), workers, work)
}

// aggregation is the state of an average. Two neighbouring bands both cover the rows of the seam between
// them. When the first of the two is done, its sums wait in the seam's rows of dst for the other one.
type aggregation struct {
	dst            Plane
	grid           Grid
	inOrder        bool      // patches come from top to bottom, so that finished groups need no memory
	columns, lines []float32 // number of patches over each column and each row
	seams          []seam    // seams[i] is above group i
}

type seam struct {
	sync.Mutex
	begun bool
}

func newAggregation(dst Plane, g Grid) *aggregation {
	return &aggregation{dst: dst, grid: g, columns: cover(g.Xs, g.PatchSize), lines: cover(g.Ys, g.PatchSize),
		seams: newSeams(g)}
}

// newSeams returns a seam for each group of rows.
func newSeams(g Grid) []seam { return make([]seam, g.Ys[len(g.Ys)-1]/Alignment(g.Stride)+1) }

// cover counts the patches over each position of an axis.
func cover(corners []int, size int) []float32 {
	n := make([]float32, corners[len(corners)-1]+size)
	for _, c := range corners {
		for i := range size {
			n[c+i]++
		}
	}
	return n
}

// accumulators keeps the memory of accumulators from call to call.
var accumulators = sync.Pool{New: func() any { return new(Accumulator) }}

func (a *aggregation) run(ctx context.Context, bands []Band, workers int, work Work) error {
	workers = min(parallel.Workers(workers), len(bands))
	accs := make([]*Accumulator, workers)
	for i := range accs {
		accs[i] = accumulators.Get().(*Accumulator)
	}
	defer func() {
		for _, acc := range accs {
			acc.of = nil // the pool keeps no planes
			accumulators.Put(acc)
		}
	}()
	return parallel.For(ctx, workers, len(bands), func(worker, i int) {
		acc := accs[worker]
		acc.reset(a, bands[i])
		work(worker, bands[i], acc)
		a.finish(acc, bands[i].groups)
	})
}

// finish divides the sums of the first groups of a band by the number of patches, except in seams whose other band is
// not done.
func (a *aggregation) finish(acc *Accumulator, groups int) {
	span, shared := acc.span, a.grid.PatchSize-1
	first, end := acc.band.first, acc.band.first+acc.band.groups
	for i := acc.finished; i < groups; i++ {
		from := 0
		switch {
		case i > 0:
			acc.addRows(i, 0, i-1, span, shared)
			acc.release(i - 1)
		case first > 0:
			a.join(&a.seams[first], acc, 0, 0)
			from = shared
		}
		a.divide(acc, i, from, span)
	}
	if acc.finished = max(acc.finished, groups); groups < acc.band.groups {
		return
	}
	if end < len(a.seams) {
		a.join(&a.seams[end], acc, acc.band.groups-1, span)
	} else {
		a.divide(acc, acc.band.groups-1, span, acc.rows)
	}
}

// join adds the sums of a band to a seam that starts in row r of group i. As a seam has two sums, their order does not
// matter.
func (a *aggregation) join(s *seam, acc *Accumulator, i, r int) {
	shared := a.grid.PatchSize - 1
	num := acc.slice(i, r, r+shared)
	at := ((acc.band.first+i)*acc.span + r) * a.dst.Width
	out := func(r int) []float32 { return a.dst.Pix[at+r*a.dst.Width:][:a.dst.Width] }
	row := func(r int) []float32 { return num[r*acc.pitch:][:a.dst.Width] }
	s.Lock()
	defer s.Unlock()
	if !s.begun {
		s.begun = true
		for r := range shared {
			copy(out(r), row(r))
		}
		return
	}
	for r := range shared {
		addTo(row(r), out(r))
	}
	a.divide(acc, i, r, r+shared)
}

// divide writes the means of the rows from to to-1 of group i of a band to the plane, except rows below its end.
func (a *aggregation) divide(acc *Accumulator, i, from, to int) {
	for r := from; r < to; r++ {
		y := (acc.band.first+i)*acc.span + r
		if y >= a.dst.Height {
			return
		}
		sums, out := acc.slice(i, r, r+1), a.dst.Row(y)
		for x, n := range a.columns {
			out[x] = sums[x] / (n * a.lines[y])
		}
	}
}
