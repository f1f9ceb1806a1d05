package paper

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// learning is Algorithm 1 with its parameters. Its upper-level loss is the mean over the minibatch of 1/2 ||x* -
// x_t||^2, and its lower-level problem is 1/2 ||x - y||^2 + ||W x||_1. The paper's factors differ, so its rates have to
// be converted.
type learning struct {
	Start   solve.Transform
	Adam    bool // false: gradient descent with a constant rate, as in the paper
	Rate    float64
	Steps   int
	Batch   int // signals in a minibatch
	Seed    uint64
	Workers int // number of goroutines; 0 = one for each processor
	Points  int // how often losses are measured and the transform may be kept; 0 = 12; at most every 10 steps
}

// lossCurve holds losses during training: the mean of 1/2 ||x* - x_t||^2 over signals. The slices have the same length.
type lossCurve struct{ Step, Training, Validation []float64 }

// best returns the step with the least loss on the validation pairs.
func (c lossCurve) best() float64 { return c.Step[floats.MinIdx(c.Validation)] }

// run learns a transform from the pairs. It measures the loss on the validation pairs at Start and then at each point
// of the curve, and returns the transform with the least of these losses. So the result is never worse there than
// Start. Start is not changed.
func (l learning) run(ctx context.Context, pairs, validation noisyPairs) (solve.Transform, lossCurve, error) {
	w, best := l.Start.Clone(), l.Start
	var curve lossCurve
	measure := func(step int) {
		loss := lossOf(w, validation, l.Workers)
		if step > 0 && loss < floats.Min(curve.Validation) {
			best = w.Clone()
		}
		curve.Step = append(curve.Step, float64(step))
		curve.Training = append(curve.Training, lossOf(w, pairs.first(min(pairs.count(), validation.count())),
			l.Workers))
		curve.Validation = append(curve.Validation, loss)
	}
	phase := train.Phase{Name: "paper", Steps: l.Steps, Optimizer: train.GradientDescent{},
		Rate: train.ConstantRate(l.Rate),
		Objective: &train.Transforms{K: w.K, N: w.N, BatchSize: l.Batch, Workers: l.Workers,
			Sources: []train.Source{&shuffled{noisyPairs: pairs, seed: l.Seed}}}}
	if l.Adam {
		phase.Optimizer, phase.Rate = train.NewAdam(len(w.W)), train.DecayingRate(l.Rate)
	}
	measure(0)
	trainer := train.Trainer{ReportEvery: max(10, l.Steps/cmp.Or(l.Points, 12)),
		Report: func(p train.Progress) { measure(p.Step) }}
	err := trainer.Run(ctx, phase, w.W)
	return best, curve, err
}

// denoise solves the lower-level problem of each signal exactly and returns the solutions.
func denoise(w solve.Transform, noisy [][]float64, workers int) [][]float64 {
	out := make([][]float64, len(noisy))
	solver := bilevel.NewSolver(w)
	spaces := make([]*bilevel.Workspace, parallel.Workers(workers))
	panels := (len(noisy) + solve.Lanes - 1) / solve.Lanes
	parallel.For(context.Background(), workers, panels, func(worker, i int) {
		if spaces[worker] == nil {
			spaces[worker] = solver.NewWorkspace()
		}
		first := i * solve.Lanes
		var y []float64
		for _, s := range noisy[first:min(len(noisy), first+solve.Lanes)] {
			y = append(y, s...)
		}
		solver.Solve(spaces[worker], y, func(l int, sol *bilevel.Solution) {
			out[first+l] = append([]float64(nil), sol.X...)
		})
	})
	return out
}

// lossOf returns the upper-level loss of a transform: the mean of 1/2 ||x* - x_t||^2 over the pairs.
func lossOf(w solve.Transform, p noisyPairs, workers int) float64 {
	return meanLoss(p.Clean, denoise(w, p.Noisy, workers))
}

// meanLoss returns the mean of 1/2 ||restored - clean||^2 over signals.
func meanLoss(clean, restored [][]float64) float64 {
	sum := 0.0
	for i, c := range clean {
		for j, v := range c {
			sum += (restored[i][j] - v) * (restored[i][j] - v) / 2
		}
	}
	return sum / float64(len(clean))
}
