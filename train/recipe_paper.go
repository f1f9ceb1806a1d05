package train

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/golden"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// PaperRecipe makes the paper's image model: one 64 x 64 transform for each training image (each group of the data is
// one image), trained alone on its patches with the mean left in, and all stacked row by row. Each transform already
// carries the full strength, so the stack needs a scale: the one with the best PSNR on the validation images.
type PaperRecipe struct {
	BatchSize int
	Steps     int
	Rate      float64 // learning rate: of DecayingRate with Adam, else constant
	Adam      bool    // false: gradient descent, as in Algorithm 1
	Start     float64 // scale of the start, in units of 1/sigma: the paper's W = I at peak 1 sends every patch to zero
	Identity  bool    // start from the identity, as in the paper, instead of the DCT
}

// DefaultPaperRecipe is what the shipped models were trained with.
func DefaultPaperRecipe() PaperRecipe {
	return PaperRecipe{BatchSize: 5 * solve.Lanes, Steps: 1500, Rate: 1e-2, Adam: true, Start: 0.5}
}

// Train runs the recipe. With t resumed from a checkpoint of the same recipe and data it goes on from there.
func (r PaperRecipe) Train(ctx context.Context, t *Trainer, d Data) (*model.Model, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	var transforms []solve.Transform
	for i, group := range d.Groups {
		w := r.start()
		phase := Phase{
			Name: fmt.Sprintf("transform %d", i+1),
			Objective: &Transforms{K: w.K, N: w.N, BatchSize: r.BatchSize, Workers: d.Workers,
				Sources: []Source{&Patches{Groups: [][]Pair{group}, Sigma: d.Sigma, PatchSize: PatchSize, Seed: d.Seed + uint64(i)<<32}}},
			Optimizer: GradientDescent{}, Steps: r.Steps, Rate: ConstantRate(r.Rate),
		}
		if held := d.withNoise(); len(held) > 0 {
			phase.Validation = &Transforms{K: w.K, N: w.N, BatchSize: r.BatchSize, Workers: d.Workers,
				Sources: []Source{&Patches{Groups: [][]Pair{held}, Sigma: d.Sigma, PatchSize: PatchSize, Seed: d.Seed}}}
		}
		if r.Adam {
			phase.Optimizer, phase.Rate = NewAdam(len(w.W)), DecayingRate(r.Rate)
		}
		if err := t.Run(ctx, phase, w.W); err != nil {
			return nil, err
		}
		transforms = append(transforms, w)
	}
	stack, err := solve.Stack(transforms...)
	if err != nil {
		return nil, err
	}
	scale, err := stackScale(ctx, stack, d)
	if err != nil {
		return nil, err
	}
	stack = stack.Scale(scale)
	schedule, err := tuneSchedule(ctx, []solve.Transform{stack},
		[]Source{&Patches{Groups: d.Groups, Sigma: d.Sigma, PatchSize: PatchSize, Seed: d.Seed}}, d.Workers)
	if err != nil {
		return nil, err
	}
	m, err := paperModel(stack, schedule, d)
	if err != nil {
		return nil, err
	}
	m.Training = fmt.Sprintf("%d transforms stacked, scaled by %.3f.", len(transforms), scale)
	return finish(ctx, m, d)
}

// start is the DCT with its constant row, or the identity. From the identity most filters stay near single pixels.
func (r PaperRecipe) start() solve.Transform {
	if r.Identity {
		return solve.Identity(PatchSize*PatchSize, r.Start)
	}
	return solve.DCTBasisWithMean(PatchSize).Scale(r.Start)
}

func paperModel(stack solve.Transform, s solve.Schedule, d Data) (*model.Model, error) {
	local, err := stage.NewLocal(PatchSize, s, []solve.Transform{stack}, nil)
	if err != nil {
		return nil, err
	}
	return &model.Model{Info: model.Info{Name: "paper", Sigma: 255 * d.Sigma, Plane: "gray", Seed: d.Seed}, Stages: stage.Sequence{local}}, nil
}

// stackScale finds the scale with the best validation PSNR by golden-section search on its logarithm. One transform, or
// no validation images, leaves the scale at 1.
func stackScale(ctx context.Context, stack solve.Transform, d Data) (float64, error) {
	if len(d.Groups) == 1 || len(d.Validation) == 0 {
		return 1, nil
	}
	pairs := d.withNoise()
	var failed error
	scale := golden.MinimizeLog(0.1, 1.5, 0.02, func(scale float64) float64 {
		m, err := paperModel(stack.Scale(scale), solve.DefaultSchedule(), d)
		psnr := 0.0
		if err == nil {
			psnr, err = validate(ctx, m, pairs, d.Sigma, stage.Options{Stride: 4, Workers: d.Workers})
		}
		if err != nil && failed == nil {
			failed = err
		}
		return -psnr
	})
	return scale, failed
}
