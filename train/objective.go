package train

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// Objective is an upper-level loss as a function of parameters theta.
type Objective interface {
	// Gradient writes the gradient of the mean loss over the minibatch of a step. It must not depend on anything but the
	// step and theta.
	Gradient(ctx context.Context, step int, theta, grad []float64) (Batch, error)
}

// Batch says what a minibatch gave.
type Batch struct {
	Loss         float64 // mean of 1/2 ||x* - x_t||^2, in units of sigma^2
	Samples      int
	Repaired     int // solved by bounded least squares, because active-set steps cycled
	NotConverged int // solved by neither; their best pattern is used, since leaving busy patches out would bias training
}

func (b *Batch) add(other Batch) {
	b.Loss += other.Loss
	b.Samples += other.Samples
	b.Repaired += other.Repaired
	b.NotConverged += other.NotConverged
}

// Transforms is the upper-level loss of eq:upper-level for one transform, or for several that are trained side by side,
// each with its own source (one for each cluster of a union). Theta holds them one after the other, each K x N.
type Transforms struct {
	K, N      int
	Sources   []Source
	BatchSize int // of each source; a multiple of solve.Lanes wastes nothing
	Workers   int

	parts []part // one for each panel of each source
	ws    []*bilevel.Workspace
	sums  []*bilevel.GradientSum
}

// part is the memory of one panel: its own gradient, so that sums do not depend on which worker did what.
type part struct {
	grad         []float64
	clean, noisy []float64
	batch        Batch
}

// Gradient implements Objective.
func (t *Transforms) Gradient(ctx context.Context, step int, theta, grad []float64) (Batch, error) {
	panels := (t.BatchSize + solve.Lanes - 1) / solve.Lanes
	t.allocate(panels)
	size := t.K * t.N
	solvers := make([]*bilevel.Solver, len(t.Sources))
	err := parallel.For(ctx, t.Workers, len(solvers), func(_, c int) {
		w := solve.Transform{K: t.K, N: t.N, W: theta[c*size : (c+1)*size]}
		solvers[c] = bilevel.NewSolver(w)
		t.Sources[c].Begin(step, t.BatchSize)
	})
	if err != nil {
		return Batch{}, err
	}
	err = parallel.For(ctx, t.Workers, len(t.parts), func(worker, i int) {
		if t.ws[worker] == nil {
			t.ws[worker], t.sums[worker] = solvers[0].NewWorkspace(), bilevel.NewGradientSum(t.K, t.N)
		}
		c := i / panels
		first := i % panels * solve.Lanes
		t.parts[i].run(t.N, solvers[c], t.ws[worker], t.sums[worker], t.Sources[c], first, min(solve.Lanes, t.BatchSize-first))
	})
	if err != nil {
		return Batch{}, err
	}
	return t.sum(panels, grad), nil
}

func (t *Transforms) allocate(panels int) {
	if t.parts != nil {
		return
	}
	t.parts = make([]part, panels*len(t.Sources))
	for i := range t.parts {
		t.parts[i] = part{grad: make([]float64, t.K*t.N), clean: make([]float64, solve.Lanes*t.N), noisy: make([]float64, solve.Lanes*t.N)}
	}
	workers := parallel.Workers(t.Workers)
	t.ws, t.sums = make([]*bilevel.Workspace, workers), make([]*bilevel.GradientSum, workers)
}

// run adds up the gradients of count samples.
func (p *part) run(n int, solver *bilevel.Solver, ws *bilevel.Workspace, sum *bilevel.GradientSum, source Source, first, count int) {
	clear(p.grad)
	p.batch = Batch{Samples: count}
	for i := range count {
		source.Sample(first+i, p.clean[i*n:(i+1)*n], p.noisy[i*n:(i+1)*n])
	}
	solver.Solve(ws, p.noisy[:count*n], func(i int, sol *bilevel.Solution) {
		p.batch.Loss += sum.Add(p.grad, sol, p.clean[i*n:(i+1)*n])
		switch sol.Method {
		case bilevel.BoundedLeastSquares:
			p.batch.Repaired++
		case bilevel.NotConverged:
			p.batch.NotConverged++
		}
	})
	sum.Flush(p.grad)
}

// sum adds the parts in their order.
func (t *Transforms) sum(panels int, grad []float64) (total Batch) {
	clear(grad)
	size := t.K * t.N
	for i, p := range t.parts {
		c := i / panels
		floats.AddScaled(grad[c*size:(c+1)*size], 1/float64(t.BatchSize), p.grad)
		total.add(p.batch)
	}
	total.Loss /= float64(total.Samples)
	return total
}
