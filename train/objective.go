package train

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// Objective is an upper-level loss as a function of parameters theta.
type Objective interface {
	// Gradient writes the gradient of the mean loss over the minibatch of a step to grad, which has the length of
	// theta. It must depend only on the step and theta.
	Gradient(ctx context.Context, step int, theta, grad []float64) (Batch, error)
}

// Batch describes the result of a minibatch.
type Batch struct {
	Loss     float64 // mean of 1/2 ||x* - x_t||^2, in units of sigma^2
	Samples  int
	Repaired int // samples solved by bounded least squares, because active-set steps cycled
	// samples solved by neither; their best pattern is used, since leaving busy patches out would bias training
	NotConverged int
}

func (b *Batch) add(other Batch) {
	b.Loss += other.Loss
	b.Samples += other.Samples
	b.Repaired += other.Repaired
	b.NotConverged += other.NotConverged
}

// Transforms is the upper-level loss of eq:upper-level for one or several transforms with a source each. Several
// transforms are trained independently of each other, as for the clusters of a union. Theta holds them one after the
// other, each K x N. Only one goroutine may use a Transforms at a time.
type Transforms struct {
	K, N      int      // rows of a transform, and samples of a signal
	Sources   []Source // one for each transform
	BatchSize int      // pairs for each source; a multiple of solve.Lanes (48) is the most efficient
	Workers   int      // goroutines; 0 = all processors

	panels []panel
	ws     []*bilevel.Workspace   // for each worker
	sums   []*bilevel.GradientSum // for each worker
}

// panel is the memory for solve.Lanes pairs of one source. Each has its own gradient, so that the sum does not depend
// on the assignment to workers.
type panel struct {
	grad         []float64
	clean, noisy []float64
	batch        Batch
}

// check checks the settings, the sources and the parameters.
func (t *Transforms) check(theta, grad []float64) error {
	switch {
	case t.K < 1 || t.N < 1:
		return fmt.Errorf("%w: transforms of %d x %d", ErrSettings, t.K, t.N)
	case t.BatchSize < 1:
		return fmt.Errorf("%w: a minibatch of %d pairs", ErrSettings, t.BatchSize)
	case len(t.Sources) == 0:
		return fmt.Errorf("%w: no sources", ErrData)
	case len(theta) != len(t.Sources)*t.K*t.N || len(grad) != len(theta):
		return fmt.Errorf("%w: %d parameters and a gradient of %d for %d transforms of %d x %d", ErrSettings,
			len(theta), len(grad), len(t.Sources), t.K, t.N)
	case !finite(theta):
		return ErrDiverged
	}
	for _, s := range t.Sources {
		if s == nil {
			return fmt.Errorf("%w: no source for a transform", ErrData)
		}
		if s, ok := s.(checkedSource); ok {
			if err := s.check(t.N); err != nil {
				return err
			}
		}
	}
	return nil
}

// Gradient implements Objective. Errors are of the kinds ErrSettings, ErrData and ErrDiverged, or come from the
// context.
func (t *Transforms) Gradient(ctx context.Context, step int, theta, grad []float64) (Batch, error) {
	if err := t.check(theta, grad); err != nil {
		return Batch{}, err
	}
	perSource := (t.BatchSize + solve.Lanes - 1) / solve.Lanes
	t.allocate(perSource * len(t.Sources))
	size := t.K * t.N
	solvers := make([]*bilevel.Solver, len(t.Sources))
	err := parallel.For(ctx, t.Workers, len(solvers), func(_, c int) {
		solvers[c] = bilevel.NewSolver(solve.Transform{K: t.K, N: t.N, W: theta[c*size : (c+1)*size]})
		t.Sources[c].Begin(step, t.BatchSize)
	})
	if err != nil {
		return Batch{}, err
	}
	err = parallel.For(ctx, t.Workers, len(t.panels), func(worker, i int) {
		if t.ws[worker] == nil {
			t.ws[worker], t.sums[worker] = solvers[0].NewWorkspace(), bilevel.NewGradientSum(t.K, t.N)
		}
		c := i / perSource
		first := i % perSource * solve.Lanes
		t.panels[i].run(t.N, solvers[c], t.ws[worker], t.sums[worker], t.Sources[c], first,
			min(solve.Lanes, t.BatchSize-first))
	})
	if err != nil {
		return Batch{}, err
	}
	return t.sum(perSource, grad), nil
}

// allocate makes the memory, unless it has the right size.
func (t *Transforms) allocate(panels int) {
	workers := parallel.Workers(t.Workers)
	if len(t.panels) == panels && len(t.ws) == workers && len(t.panels[0].grad) == t.K*t.N &&
		len(t.panels[0].clean) == solve.Lanes*t.N {
		return
	}
	t.panels = make([]panel, panels)
	for i := range t.panels {
		t.panels[i] = panel{grad: make([]float64, t.K*t.N), clean: make([]float64, solve.Lanes*t.N),
			noisy: make([]float64, solve.Lanes*t.N)}
	}
	t.ws, t.sums = make([]*bilevel.Workspace, workers), make([]*bilevel.GradientSum, workers)
}

// run computes the loss and the gradient of count pairs of n samples.
func (p *panel) run(n int, solver *bilevel.Solver, ws *bilevel.Workspace, sum *bilevel.GradientSum, source Source,
	first, count int) {
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

// sum adds up the panels in order.
func (t *Transforms) sum(perSource int, grad []float64) (total Batch) {
	clear(grad)
	size := t.K * t.N
	for i, p := range t.panels {
		c := i / perSource
		floats.AddScaled(grad[c*size:(c+1)*size], 1/float64(t.BatchSize), p.grad)
		total.add(p.batch)
	}
	total.Loss /= float64(total.Samples)
	return total
}
