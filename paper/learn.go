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

// Learning is Algorithm 1 with its parameters. Rate belongs to the gradient of the mean over the minibatch of
// 1/2 ||x* - x_t||^2, for the lower level with the 1/2.
type Learning struct {
	Start   solve.Transform
	Adam    bool // false: gradient descent with a constant rate, as in the paper
	Rate    float64
	Steps   int
	Batch   int
	Seed    uint64
	Workers int
	Points  int // at which losses are measured, and the transform may be kept; 0 = 12; at most every 10 steps
}

// Curve holds the losses 1/2 ||x* - x_t||^2, mean over signals, while training runs.
type Curve struct{ Step, Training, Validation []float64 }

// Best is the step at which the loss on the validation pairs was least.
func (c Curve) Best() float64 { return c.Step[floats.MinIdx(c.Validation)] }

// Run learns a transform from the pairs and measures the loss on the validation pairs meanwhile, at Start first. It
// returns the transform with the least of these losses, so that it is never worse there than Start, which is kept.
func (l Learning) Run(ctx context.Context, pairs, validation Pairs) (solve.Transform, Curve, error) {
	w, best := l.Start.Clone(), l.Start
	var curve Curve
	measure := func(step int) {
		loss := Loss(w, validation, l.Workers)
		if step > 0 && loss < floats.Min(curve.Validation) {
			best = w.Clone()
		}
		curve.Step = append(curve.Step, float64(step))
		curve.Training = append(curve.Training, Loss(w, pairs.First(min(pairs.Len(), validation.Len())), l.Workers))
		curve.Validation = append(curve.Validation, loss)
	}
	phase := train.Phase{Name: "paper", Steps: l.Steps, Optimizer: train.GradientDescent{}, Rate: train.ConstantRate(l.Rate),
		Objective: &train.Transforms{K: w.K, N: w.N, BatchSize: l.Batch, Workers: l.Workers,
			Sources: []train.Source{&train.Signals{Clean: pairs.Clean, Noisy: pairs.Noisy, Seed: l.Seed}}}}
	if l.Adam {
		phase.Optimizer, phase.Rate = train.NewAdam(len(w.W)), train.DecayingRate(l.Rate)
	}
	measure(0)
	trainer := train.Trainer{ReportEvery: max(10, l.Steps/cmp.Or(l.Points, 12)), Report: func(p train.Progress) { measure(p.Step) }}
	err := trainer.Run(ctx, phase, w.W)
	return best, curve, err
}

// Denoise solves the lower-level problem of each signal exactly.
func Denoise(w solve.Transform, noisy [][]float64, workers int) [][]float64 {
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

// Loss is the upper-level loss: the mean of 1/2 ||x* - x_t||^2.
func Loss(w solve.Transform, p Pairs, workers int) float64 {
	return meanLoss(p.Clean, Denoise(w, p.Noisy, workers))
}

func meanLoss(clean, restored [][]float64) float64 {
	sum := 0.0
	for i, c := range clean {
		for j, v := range c {
			sum += (restored[i][j] - v) * (restored[i][j] - v) / 2
		}
	}
	return sum / float64(len(clean))
}
