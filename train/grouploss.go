package train

import (
	"context"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// groupLoss is the upper-level loss of a non-local stage, on the aggregated image:
//
//	Q = 1/2 mean (sum_j P_j' w_j x_j* / sum_j P_j' w_j - x_t)^2
//
// over the pixels of windows of training crops, where the x_j* are the columns' exact solutions, rotated back along
// their groups. Its gradient is exact for the transforms and for the weight function: of the solution by the closed form
// on its segments, through the coefficients that the weights are computed from, and through the aggregation. What is
// piecewise constant - matches, clusters, the aggregation's weights - has none.
type groupLoss struct {
	layout      stageLayout
	crops       []groupCrop
	batch, side int // windows of a minibatch, and their reference patches in x and y
	seed        uint64
	workers     int

	windows []trainWindow
	jobs    []*columnJob
	free    []*columnJob
	solvers []*bilevel.PairSolver
	weights stage.WeightFunction
	window  []float64 // of the aggregation
}

// Gradient implements Objective.
func (o *groupLoss) Gradient(ctx context.Context, step int, theta, grad []float64) (Batch, error) {
	o.weights = o.layout.weightFunction(theta)
	o.solvers = o.solvers[:0]
	for t := range o.layout.transforms {
		o.solvers = append(o.solvers, bilevel.NewPairSolver(o.layout.transform(theta, t)))
	}
	o.draw(step)
	o.divide()
	err := parallel.For(ctx, o.workers, len(o.windows), func(_, i int) { o.windows[i].rotate() })
	if err != nil {
		return Batch{}, err
	}
	if err := o.each(ctx, func(j *columnJob) { j.forward(o) }); err != nil {
		return Batch{}, err
	}
	err = parallel.For(ctx, o.workers, len(o.windows), func(_, i int) { o.windows[i].aggregate(o) })
	if err != nil {
		return Batch{}, err
	}
	if err := o.each(ctx, func(j *columnJob) { j.backward(o) }); err != nil {
		return Batch{}, err
	}
	return o.sum(grad), nil
}

func (o *groupLoss) each(ctx context.Context, work func(j *columnJob)) error {
	return parallel.For(ctx, o.workers, len(o.jobs), func(_, i int) { work(o.jobs[i]) })
}

// draw chooses the windows of a step.
func (o *groupLoss) draw(step int) {
	if o.windows == nil {
		o.windows = make([]trainWindow, o.batch)
	}
	size := stage.GroupSize * o.layout.n
	for i := range o.windows {
		rng := rand.New(rand.NewPCG(o.seed, uint64(step)<<16|uint64(i)))
		w := &o.windows[i]
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

// divide makes the jobs: columns of one window that share a transform, as many as fit.
func (o *groupLoss) divide() {
	o.free = append(o.free, o.jobs...)
	o.jobs = o.jobs[:0]
	clusters := o.layout.transforms / 2
	for i := range o.windows {
		w := &o.windows[i]
		for c := range clusters {
			var members []int
			for g, at := range w.groups {
				if int(w.crop.clusters[at]) == c {
					members = append(members, g)
				}
			}
			for class, most := range [2]int{firstColumns, otherColumns} {
				for from := 0; from < len(members); from += most {
					o.jobs = append(o.jobs, o.job(w, 2*c+class, members[from:min(from+most, len(members))]))
				}
			}
		}
	}
}

// Groups of a job of first columns, and of one of the others.
const (
	firstColumns = 48
	otherColumns = 3
)

func (o *groupLoss) job(w *trainWindow, transform int, groups []int) *columnJob {
	var j *columnJob
	if n := len(o.free); n > 0 {
		j, o.free = o.free[n-1], o.free[:n-1]
	} else {
		j = new(columnJob)
	}
	j.window, j.transform = w, transform
	j.groups = append(j.groups[:0], groups...)
	return j
}

// sum adds up the gradients in the order of the jobs.
func (o *groupLoss) sum(grad []float64) (b Batch) {
	clear(grad)
	for _, j := range o.jobs {
		j.addGradient(o, grad, 1/float64(len(o.windows)))
		b.Samples += j.signals
		b.NotConverged += j.notConverged
	}
	for _, w := range o.windows {
		b.Loss += w.loss / float64(len(o.windows))
	}
	return b
}

// newGroupLoss is the loss of training: three windows of 12 x 12 groups.
func newGroupLoss(layout stageLayout, crops []groupCrop, seed uint64, workers int) *groupLoss {
	return &groupLoss{layout: layout, crops: crops, batch: 3, side: 12, seed: seed, workers: workers,
		window: stage.KaiserWindow(PatchSize)}
}

// withCrops returns the same loss on other crops.
func (o *groupLoss) withCrops(crops []groupCrop) *groupLoss {
	return newGroupLoss(o.layout, crops, o.seed, o.workers)
}
