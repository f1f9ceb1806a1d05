package train

import (
	"cmp"
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/golden"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// PaperRecipe trains the paper's image model. Each group of the data, one image in the paper, gives one 64 x 64
// transform, which is trained on its patches with their mean. The rows of all transforms are stacked. Each transform
// alone already has the full strength, so the stack is scaled: by the factor with the best PSNR on the validation
// images.
type PaperRecipe struct {
	BatchSize int     // pairs of a minibatch
	Steps     int     // for each transform
	Rate      float64 // with Adam the peak of DecayingRate, otherwise constant
	Adam      bool    // false = gradient descent, as in Algorithm 1
	Start     float64 // scale of the start, in units of 1/sigma (see the package documentation)
	Identity  bool    // start from the identity, as in the paper, instead of the DCT
}

// DefaultPaperRecipe returns the recipe of the shipped models "paper".
func DefaultPaperRecipe() PaperRecipe {
	return PaperRecipe{BatchSize: 5 * solve.Lanes, Steps: 1500, Rate: 1e-2, Adam: true, Start: 0.5}
}

// check checks the settings.
func (r PaperRecipe) check() error {
	return cmp.Or(atLeast("BatchSize", r.BatchSize, 1), atLeast("Steps", r.Steps, 0), positiveSetting("Rate", r.Rate),
		positiveSetting("Start", r.Start))
}

// Train runs the recipe. A trainer that has resumed a checkpoint of the same recipe and data goes on from there; nil
// means a new one without reports. Errors are of the kinds of this package.
func (r PaperRecipe) Train(ctx context.Context, t *Trainer, d Data) (*model.Model, error) {
	if err := cmp.Or(r.check(), d.validate()); err != nil {
		return nil, err
	}
	if t == nil {
		t = new(Trainer)
	}
	var transforms []solve.Transform
	for i, group := range d.Groups {
		w := r.start()
		phase := Phase{
			Name: fmt.Sprintf("transform %d", i+1),
			Objective: &Transforms{K: w.K, N: w.N, BatchSize: r.BatchSize, Workers: d.Workers,
				Sources: []Source{&Patches{Groups: [][]Pair{group}, Sigma: d.Sigma, PatchSize: PatchSize,
					Seed: d.Seed + uint64(i)<<32}}},
			Optimizer: GradientDescent{}, Steps: r.Steps, Rate: ConstantRate(r.Rate),
		}
		if held := d.NoisyValidation(); len(held) > 0 {
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

// start returns the scaled DCT with its constant row, or the scaled identity, from which most filters stay close to
// single pixels.
func (r PaperRecipe) start() solve.Transform {
	if r.Identity {
		return solve.Identity(PatchSize*PatchSize, r.Start)
	}
	return solve.DCTBasisWithMean(PatchSize).Scale(r.Start)
}

// paperModel returns a model of one local stage.
func paperModel(stack solve.Transform, s solve.Schedule, d Data) (*model.Model, error) {
	local, err := stage.NewLocal(PatchSize, s, []solve.Transform{stack}, nil)
	if err != nil {
		return nil, err
	}
	return &model.Model{Info: model.Info{Name: "paper", Sigma: 255 * d.Sigma, Plane: "gray", Seed: d.Seed},
		Stages: stage.Sequence{local}}, nil
}

// stackScale returns the scale with the best validation PSNR, by golden-section search on its logarithm. For a single
// transform or without validation images it returns 1.
func stackScale(ctx context.Context, stack solve.Transform, d Data) (float64, error) {
	if len(d.Groups) == 1 || len(d.Validation) == 0 {
		return 1, nil
	}
	pairs := d.NoisyValidation()
	var failed error
	scale := golden.MinimizeLog(0.1, 1.5, 0.02, func(scale float64) float64 {
		m, err := paperModel(stack.Scale(scale), solve.DefaultSchedule(), d)
		psnr := 0.0
		if err == nil {
			psnr, err = meanPSNR(ctx, m, pairs, d.Sigma, stage.Options{Stride: 4, Workers: d.Workers})
		}
		if err != nil && failed == nil {
			failed = err
		}
		return -psnr
	})
	return scale, failed
}
