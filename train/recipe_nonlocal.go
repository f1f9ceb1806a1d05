package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// NonLocalRecipe adds non-local stages (passes) to a model of local ones. Each pass is trained on crops whose pilots
// are the outputs of all stages before it, by the loss of the aggregated image (groupLoss).
type NonLocalRecipe struct {
	Local *model.Model // its stages that are not passes come first
	// training starts from its passes; nil = from the DCT, and for later passes from the pass before
	Start       *model.Model
	Passes      int
	Correct     bool    // correct the pilots from the second pass on by a stage.Correction
	Steps       int     // for each pass
	Rate        float64 // peak of the learning rate for Adam, which falls along half a cosine
	Clusters    int
	Hidden      int     // number of hidden units of the weight function
	TrainWindow int     // largest distance of similar patches in training, in samples
	Window      int     // the same for denoising; larger is better, but crops are small
	Step        int     // distance of neighbouring reference patches for denoising, in samples
	Residual    float64 // for the matching of the first pass (see stage.NonLocal)
	Crops       int
	CropSize    int     // side of a crop in samples
	Pilots      []Pilot // crops take them in turn; none = the stages of the model as they are
}

// Pilot is a way to run the stages before a pass.
type Pilot struct {
	Name   string
	Passes int // how many passes follow such pilots in use, 0 = all; later ones are trained with the other pilots
	// Denoise returns what the stages of a model, and those that are run with them in use, make of a noisy plane.
	// Samples and sigma are on a scale of 0 to 1.
	Denoise func(ctx context.Context, m *model.Model, noisy patchify.Plane, sigma float64) (patchify.Plane, error)
}

// DefaultNonLocalRecipe returns the recipe of the shipped models "nonlocal" for sigma 25.5 and above. Those for smaller
// sigma have no correction. With a Window of 59 the reach of the model is just below 640 samples, twice its alignment.
// With 60, tiles would overlap by three times the alignment.
func DefaultNonLocalRecipe(local, start *model.Model) NonLocalRecipe {
	return NonLocalRecipe{Local: local, Start: start, Passes: 3, Correct: true, Steps: 600, Rate: 5e-3, Clusters: 16,
		Hidden: 16, TrainWindow: 40, Window: 59, Step: 5, Residual: 0.4,
		Crops: 240, CropSize: 192}
}

// String returns the settings, for checkpoints and model files. Models are given by name, sigma and a digest of their
// content. Correct is written as "Coarse", as it is in the checkpoints and model files that exist.
func (r NonLocalRecipe) String() string {
	s := fmt.Sprintf("{Local:%s Start:%s Passes:%d Coarse:%v Steps:%d Rate:%g Clusters:%d Hidden:%d TrainWindow:%d "+
		"Window:%d Step:%d Residual:%g Crops:%d CropSize:%d",
		digest(r.Local), digest(r.Start), r.Passes, r.Correct, r.Steps, r.Rate, r.Clusters, r.Hidden, r.TrainWindow,
		r.Window, r.Step, r.Residual, r.Crops, r.CropSize)
	for _, p := range r.Pilots {
		s += fmt.Sprintf(" Pilot:%s %d", p.Name, p.Passes)
	}
	return s + "}"
}

// digest returns the name and sigma of a model and a digest of its content.
func digest(m *model.Model) string {
	if m == nil {
		return "none"
	}
	data, err := m.Marshal()
	if err != nil {
		return "unknown" // Train reports the error
	}
	return fmt.Sprintf("%s %g (%.4x)", m.Name, m.Sigma, sha256.Sum256(data))
}

// correctionSmoothing is the Smoothing of the correction. One more or less changes the PSNR by 0.005 dB.
const correctionSmoothing = 2

// trainStep is the distance of neighbouring reference patches in training, in samples.
const trainStep = 4

// passOffset is the shift of the reference patches from one pass to the next, in samples.
const passOffset = 2

// check checks the settings.
func (r NonLocalRecipe) check() error {
	if r.Local == nil || len(r.Local.Stages) == 0 || slices.Contains(r.Local.Stages, nil) {
		return fmt.Errorf("%w: no model with local stages", ErrSettings)
	}
	if r.Start != nil && len(passesOf(r.Start)) == 0 {
		return fmt.Errorf("%w: the model %s has no non-local stages to start from", ErrSettings, r.Start.Name)
	}
	if r.Local.Noise != "" {
		return fmt.Errorf("%w: the model %s is for the noise of a %s, not for local stages", ErrSettings, r.Local.Name,
			r.Local.Noise)
	}
	if !(r.Residual >= 0 && r.Residual <= 1) {
		return fmt.Errorf("%w: Residual %g is not between 0 and 1", ErrSettings, r.Residual)
	}
	if r.Hidden > kernel.MaxHidden || r.Step > PatchSize || r.Window > stage.MaxWindow {
		return fmt.Errorf("%w: Hidden %d, Step %d or Window %d is more than %d, %d, %d", ErrSettings, r.Hidden, r.Step,
			r.Window, kernel.MaxHidden, PatchSize, stage.MaxWindow)
	}
	return cmp.Or(atLeast("Passes", r.Passes, 0), atLeast("Steps", r.Steps, 0), positiveSetting("Rate", r.Rate),
		atLeast("Clusters", r.Clusters, 1), atLeast("Hidden", r.Hidden, 1), atLeast("TrainWindow", r.TrainWindow, 1),
		atLeast("Window", r.Window, 1), atLeast("Step", r.Step, 1), atLeast("Crops", r.Crops, 1),
		atLeast("CropSize", r.CropSize, PatchSize))
}

// Train runs the recipe. A trainer that has resumed a checkpoint of the same recipe and data goes on from there; nil
// means a new one without reports. Errors are of the kinds of this package.
func (r NonLocalRecipe) Train(ctx context.Context, t *Trainer, d Data) (*model.Model, error) {
	if err := cmp.Or(r.check(), d.validate()); err != nil {
		return nil, err
	}
	if t == nil {
		t = new(Trainer)
	}
	m := &model.Model{Info: model.Info{Name: "nonlocal", Sigma: 255 * d.Sigma, Plane: "gray", Seed: d.Seed}}
	for _, s := range r.Local.Stages {
		if _, ok := s.(*stage.NonLocal); !ok {
			m.Stages = append(m.Stages, s)
		}
	}
	starts := passesOf(r.Start)
	var last *stage.NonLocal
	for pass := range r.Passes {
		if pass == 1 && r.Correct {
			m.Stages = append(m.Stages, &stage.Correction{Smoothing: correctionSmoothing})
		}
		start := last // closer to the result than the DCT
		if pass < len(starts) {
			start = starts[pass]
		}
		var err error
		if last, err = r.trainPass(ctx, t, d, m, pass, start); err != nil {
			return nil, err
		}
		m.Stages = append(m.Stages, last)
		if m, err = rounded(m); err != nil { // the next pass is trained on the outputs of the model as it is loaded
			return nil, err
		}
	}
	return finish(ctx, m, d)
}

// trainPass trains the pass that follows the stages of m.
func (r NonLocalRecipe) trainPass(ctx context.Context, t *Trainer, d Data, m *model.Model, pass int,
	start *stage.NonLocal) (*stage.NonLocal, error) {
	layout := stageLayout{transforms: 2 * r.Clusters, k: PatchSize * PatchSize, n: PatchSize * PatchSize,
		hidden: r.Hidden}
	theta := startTheta(layout, d.Seed)
	if start != nil {
		if err := layout.copyFrom(theta, start); err != nil {
			return nil, err
		}
	}
	crops, err := r.groupCrops(ctx, drawCrops(d.Groups, r.Crops, r.CropSize, d.Sigma, d.Seed+uint64(10+pass)), m, pass,
		d)
	if err != nil {
		return nil, err
	}
	classifier, err := r.classify(ctx, crops, start, d)
	if err != nil {
		return nil, err
	}
	loss := newGroupLoss(layout, crops, d.Seed+uint64(pass), d.Workers)
	phase := Phase{
		Name:      fmt.Sprintf("non-local pass %d", pass+1),
		Objective: loss,
		Optimizer: NewAdam(len(theta)), Steps: r.Steps, Rate: cosineRate(r.Rate),
	}
	if held := d.heldBackCrops(r.CropSize); len(held) > 0 {
		crops, err := r.groupCrops(ctx, held, m, pass, d)
		if err != nil {
			return nil, err
		}
		if err := assignClusters(ctx, crops, classifier, d); err != nil {
			return nil, err
		}
		phase.Validation = loss.withCrops(crops)
	}
	if err := t.Run(ctx, phase, theta); err != nil {
		return nil, err
	}
	first, others := pairSchedules(pass)
	next := &stage.NonLocal{PatchSize: PatchSize, Window: r.Window, Step: r.Step, Offset: passOffset * pass % r.Step,
		Residual:      r.residual(pass),
		CoarseOffsets: coarseOffsets(pass), Schedule: others, First: &first, Classifier: classifier,
		Weights: layout.weightFunction(theta)}
	for i := range layout.transforms {
		next.Transforms = append(next.Transforms, layout.transform(theta, i))
	}
	return stage.NewNonLocal(next)
}

// pairSchedules returns the schedules of a pass for first columns, which are few and converge slowly, and for the
// others. ADMM starts at the pilot, which is better for later passes. All passes are within 0.01 dB of convergence.
func pairSchedules(pass int) (first, others solve.Schedule) {
	if pass == 0 {
		return solve.Schedule{Iterations: 12, RhoStart: 0.5, RhoEnd: 8, Ramp: 11, Relaxation: 1.89},
			solve.Schedule{Iterations: 5, RhoStart: 0.5, RhoEnd: 9, Ramp: 4, Relaxation: 1.87}
	}
	return solve.Schedule{Iterations: 8, RhoStart: 0.5, RhoEnd: 8, Ramp: 7, Relaxation: 1.89},
		solve.Schedule{Iterations: 4, RhoStart: 0.5, RhoEnd: 9, Ramp: 3, Relaxation: 1.85}
}

// coarseOffsets returns the number of offsets that the search of a pass keeps from its coarse step
// (stage.NonLocal.CoarseOffsets). With the better pilots of later passes, few are as good as many.
func coarseOffsets(pass int) int {
	if pass > 0 {
		return 3
	}
	return 5
}

// residual returns the Residual of a pass. It is 0 for later passes: their pilots have lost less, and noise misleads
// the search.
func (r NonLocalRecipe) residual(pass int) float64 {
	if pass > 0 {
		return 0
	}
	return r.Residual
}

// passesOf returns the non-local stages of a model, or none for nil.
func passesOf(m *model.Model) (passes []*stage.NonLocal) {
	if m == nil {
		return nil
	}
	for _, s := range m.Stages {
		if s, ok := s.(*stage.NonLocal); ok {
			passes = append(passes, s)
		}
	}
	return passes
}
