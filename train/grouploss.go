package train

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// groupLoss is the upper-level loss of a non-local stage, on the aggregated image:
//
//	Q = 1/2 mean (sum_j P_j' w_j x_j* / sum_j P_j' w_j - x_t)^2
//
// over the pixels of regions of training crops, where the x_j* are the exact solutions of the columns, rotated back to
// the patches of their groups. The gradient by the transforms and the weight function is exact. It includes the
// dependence of the solutions (by the closed form on their segments), of the coefficients that the weights are computed
// from, and of the aggregation. Matches, clusters and the weights of the aggregation are piecewise constant and have no
// gradient.
type groupLoss struct {
	layout      stageLayout
	crops       []groupCrop
	batch, side int // number of regions of a minibatch, and of their reference patches in x and in y
	seed        uint64
	workers     int

	regions []region
	jobs    []*columnJob // of the step: the first of made
	made    []*columnJob // all jobs so far, whose memory is reused
	solvers []*bilevel.PairSolver
	weights stage.WeightFunction
	kaiser  []float64 // weights of the samples of a patch
}

// Gradient implements Objective.
func (o *groupLoss) Gradient(ctx context.Context, step int, theta, grad []float64) (Batch, error) {
	if !finite(theta) {
		return Batch{}, ErrDiverged
	}
	o.weights = o.layout.weightFunction(theta)
	o.solvers = o.solvers[:0]
	for t := range o.layout.transforms {
		o.solvers = append(o.solvers, bilevel.NewPairSolver(o.layout.transform(theta, t)))
	}
	o.draw(step)
	o.divide()
	err := parallel.For(ctx, o.workers, len(o.regions), func(_, i int) { o.regions[i].rotate() })
	if err != nil {
		return Batch{}, err
	}
	if err := o.each(ctx, func(j *columnJob) { j.forward(o) }); err != nil {
		return Batch{}, err
	}
	err = parallel.For(ctx, o.workers, len(o.regions), func(_, i int) { o.regions[i].aggregate(o) })
	if err != nil {
		return Batch{}, err
	}
	if err := o.each(ctx, func(j *columnJob) { j.backward(o) }); err != nil {
		return Batch{}, err
	}
	return o.sum(grad), nil
}

// each runs work for all jobs of the step.
func (o *groupLoss) each(ctx context.Context, work func(j *columnJob)) error {
	return parallel.For(ctx, o.workers, len(o.jobs), func(_, i int) { work(o.jobs[i]) })
}

// draw draws the regions of a step.
func (o *groupLoss) draw(step int) {
	if o.regions == nil {
		o.regions = make([]region, o.batch)
	}
	size := stage.GroupSize * o.layout.n
	for i := range o.regions {
		rng := rand.New(rand.NewPCG(o.seed, uint64(step)<<16|uint64(i)))
		w := &o.regions[i]
		w.crop = &o.crops[rng.IntN(len(o.crops))]
		nx, ny := min(o.side, w.crop.columns), min(o.side, w.crop.rows)
		x, y := rng.IntN(w.crop.columns-nx+1), rng.IntN(w.crop.rows-ny+1)
		w.groups = w.groups[:0]
		for r := range ny {
			for c := range nx {
				w.groups = append(w.groups, (y+r)*w.crop.columns+x+c)
			}
		}
		if len(w.columns) < len(w.groups)*size {
			w.columns = make([]float64, len(w.groups)*size)
		}
		for class := range w.free {
			w.free[class] = append(w.free[class][:0], make([]float64, len(w.groups))...)
		}
	}
}

// divide makes the jobs of the step. Each has columns of one region that share a transform.
func (o *groupLoss) divide() {
	o.jobs = o.jobs[:0]
	clusters := o.layout.transforms / 2
	for i := range o.regions {
		w := &o.regions[i]
		for c := range clusters {
			var members []int
			for g, at := range w.groups {
				if int(w.crop.clusters[at]) == c {
					members = append(members, g)
				}
			}
			for class, most := range [2]int{firstColumns, otherColumns} {
				for groups := range slices.Chunk(members, most) {
					o.addJob(w, 2*c+class, groups)
				}
			}
		}
	}
}

// Largest number of groups of a job for first columns, and of one for the others.
const (
	firstColumns = 48
	otherColumns = 3
)

// addJob appends a job to those of the step.
func (o *groupLoss) addJob(r *region, transform int, groups []int) {
	if len(o.jobs) == len(o.made) {
		o.made = append(o.made, new(columnJob))
	}
	o.jobs = o.made[:len(o.jobs)+1]
	j := o.jobs[len(o.jobs)-1]
	j.region, j.transform = r, transform
	j.groups = append(j.groups[:0], groups...)
}

// sum adds up the gradients of the jobs in order.
func (o *groupLoss) sum(grad []float64) (b Batch) {
	clear(grad)
	for _, j := range o.jobs {
		j.addGradient(o, grad, 1/float64(len(o.regions)))
		b.Samples += j.signals
		b.NotConverged += j.notConverged
	}
	for _, r := range o.regions {
		b.Loss += r.loss / float64(len(o.regions))
	}
	return b
}

// newGroupLoss returns the loss on three regions of 12 x 12 groups for each step.
func newGroupLoss(layout stageLayout, crops []groupCrop, seed uint64, workers int) *groupLoss {
	return &groupLoss{layout: layout, crops: crops, batch: 3, side: 12, seed: seed, workers: workers,
		kaiser: stage.KaiserWindow(PatchSize)}
}

// withCrops returns a copy of the loss that uses the given crops.
func (o *groupLoss) withCrops(crops []groupCrop) *groupLoss {
	return newGroupLoss(o.layout, crops, o.seed, o.workers)
}
