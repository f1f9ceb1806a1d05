package patchify

import (
	"context"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Work adds every patch of a band to acc, which starts at zero. Bands run on several goroutines; worker indexes scratch
// memory (see parallel.For).
type Work func(worker int, band Band, acc *Accumulator)

// Aggregate fills dst, a plane of the size that the grid was laid over, with the weighted mean of the patches that work
// puts in with Accumulator.Add. A sample whose weights are all 0 becomes 0.
func Aggregate(ctx context.Context, dst Plane, g Grid, workers int, work Work) error {
	return newAggregation(dst, g, true).run(ctx, workers, work)
}

// Average is Aggregate for patches that all have the weight 1, put in with AddLane and AddRun, each patch of the grid
// exactly once.
func Average(ctx context.Context, dst Plane, g Grid, workers int, work Work) error {
	return newAggregation(dst, g, false).run(ctx, workers, work)
}

// aggregation is a plane in the making. Rows that two bands cover, their seam, hold the sums of the first of both that
// is done until the other one is.
type aggregation struct {
	dst            Plane
	grid           Grid
	weighted       bool
	columns, lines []float32 // number of patches that cover each column and each row
	seams          []seam    // by the group below it
}

type seam struct {
	sync.Mutex
	begun  bool
	weight []float32 // sums of weights, if there are any
}

func newAggregation(dst Plane, g Grid, weighted bool) *aggregation {
	groups := g.Ys[len(g.Ys)-1]/Alignment(g.Stride) + 1
	a := &aggregation{dst: dst, grid: g, weighted: weighted, seams: make([]seam, groups)}
	if !weighted {
		a.columns, a.lines = cover(g.Xs, g.PatchSize), cover(g.Ys, g.PatchSize)
	}
	return a
}

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

func (a *aggregation) run(ctx context.Context, workers int, work Work) error {
	workers = parallel.Workers(workers)
	bands := a.grid.bands(workers)
	accs := make([]*Accumulator, workers)
	for i := range accs {
		accs[i] = accumulators.Get().(*Accumulator)
		defer accumulators.Put(accs[i])
	}
	return parallel.For(ctx, workers, len(bands), func(worker, i int) {
		acc := accs[worker]
		acc.reset(bands[i], a.weighted)
		work(worker, bands[i], acc)
		a.finish(acc)
	})
}

// finish divides the sums of a band by the weights, but for the seams that still miss the other band.
func (a *aggregation) finish(acc *Accumulator) {
	span, shared := acc.span, a.grid.PatchSize-1
	first, end := acc.band.first, acc.band.first+acc.band.groups
	for i := range acc.band.groups {
		from := 0
		switch {
		case i > 0:
			acc.addRows(i, 0, i-1, span, shared)
		case first > 0:
			a.join(&a.seams[first], acc, 0, 0)
			from = shared
		}
		a.divide(acc, i, from, span)
	}
	if end < len(a.seams) {
		a.join(&a.seams[end], acc, acc.band.groups-1, span)
	} else {
		a.divide(acc, acc.band.groups-1, span, acc.rows)
	}
}

// join adds the sums of a band to a seam that starts at row r of its group i. Two sums are the same in either order.
func (a *aggregation) join(s *seam, acc *Accumulator, i, r int) {
	shared := a.grid.PatchSize - 1
	num, den := acc.slice(i, r, r+shared)
	at := ((acc.band.first+i)*acc.span + r) * a.dst.Width
	out := a.dst.Pix[at : at+len(num)]
	s.Lock()
	defer s.Unlock()
	if !s.begun {
		s.begun = true
		copy(out, num)
		s.weight = append(s.weight, den...)
		return
	}
	addTo(num, out)
	addTo(den, s.weight)
	a.divide(acc, i, r, r+shared)
}

// divide writes the rows from..to-1 of group i of a band to the plane, as far as it reaches.
func (a *aggregation) divide(acc *Accumulator, i, from, to int) {
	for r := from; r < to; r++ {
		y := (acc.band.first+i)*acc.span + r
		if y >= a.dst.Height {
			return
		}
		num, den := acc.slice(i, r, r+1)
		out := a.dst.Row(y)
		if !a.weighted {
			for x, n := range a.columns {
				out[x] = num[x] / (n * a.lines[y])
			}
			continue
		}
		for x, d := range den {
			if out[x] = 0; d > 0 {
				out[x] = num[x] / d
			}
		}
	}
}
