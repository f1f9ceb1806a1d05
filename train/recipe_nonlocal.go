package train

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// NonLocalRecipe adds non-local stages to a model of local ones. Each stage is trained on crops whose pilot is the output
// of all stages before it, by the loss of the aggregated image (groupLoss).
type NonLocalRecipe struct {
	Local       *model.Model // gives the local stages
	Start       *model.Model // its non-local stages are what those trained here start from; nil = from the DCT, and then from the pass before
	Passes      int
	Coarse      bool    // correct the pilots from the second pass on at half the size (stage.Correction)
	Steps       int     // of each pass
	Rate        float64 // peak of CosineRate, for Adam
	Clusters    int
	Hidden      int     // units of the weight function
	TrainWindow int     // of the matching on crops
	Window      int     // of the matching when the model denoises: the larger the better, and crops are small
	Step        int     // distance of reference patches when the model denoises
	Residual    float64 // of the matching of the first pass (stage.NonLocal)
	Crops       int
	CropSize    int
}

// DefaultNonLocalRecipe makes a model of the kind of the shipped ones from sigma 25.5 on; those below have no correction at
// half the size. With a window of 59 its reach is just below 640 samples, twice its alignment; with 60, tiles
// would overlap by three times that.
func DefaultNonLocalRecipe(local, start *model.Model) NonLocalRecipe {
	return NonLocalRecipe{Local: local, Start: start, Passes: 3, Coarse: true, Steps: 600, Rate: 5e-3, Clusters: 16, Hidden: 16, TrainWindow: 40, Window: 59, Step: 5, Residual: 0.4,
		Crops: 240, CropSize: 192}
}

// String tells the settings, for checkpoints and model files: those of the start by its name and content.
func (r NonLocalRecipe) String() string {
	return fmt.Sprintf("{Local:%s Start:%s Passes:%d Coarse:%v Steps:%d Rate:%g Clusters:%d Hidden:%d TrainWindow:%d Window:%d Step:%d Residual:%g Crops:%d CropSize:%d}",
		digest(r.Local), digest(r.Start), r.Passes, r.Coarse, r.Steps, r.Rate, r.Clusters, r.Hidden, r.TrainWindow, r.Window, r.Step, r.Residual, r.Crops, r.CropSize)
}

// digest names a model by its name, sigma and content.
func digest(m *model.Model) string {
	if m == nil {
		return "none"
	}
	data, err := m.Marshal()
	if err != nil {
		return "unknown" // training fails where it matters
	}
	return fmt.Sprintf("%s %g (%.4x)", m.Name, m.Sigma, sha256.Sum256(data))
}

// coarseSmoothing leaves half a sample's width of the coarse scale to the fine one; one more or less changes 0.005 dB.
const coarseSmoothing = 2

// trainStep is the distance of reference patches in training.
const trainStep = 4

// passOffset is how far the reference patches of each pass are moved from those of the pass before.
const passOffset = 2

// Train runs the recipe. With t resumed from a checkpoint of the same recipe and data it goes on from there.
func (r NonLocalRecipe) Train(ctx context.Context, t *Trainer, d Data) (*model.Model, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	m := &model.Model{Info: model.Info{Name: "nonlocal", Sigma: 255 * d.Sigma, Plane: "gray", Seed: d.Seed}}
	for _, s := range r.Local.Stages {
		if _, ok := s.(*stage.NonLocal); !ok {
			m.Stages = append(m.Stages, s)
		}
	}
	var starts []*stage.NonLocal
	if r.Start != nil {
		for _, s := range r.Start.Stages {
			if s, ok := s.(*stage.NonLocal); ok {
				starts = append(starts, s)
			}
		}
	}
	var last *stage.NonLocal
	for pass := range r.Passes {
		if pass == 1 && r.Coarse {
			m.Stages = append(m.Stages, &stage.Correction{Smoothing: coarseSmoothing})
		}
		start := last // its pilots differ less from these than the DCT's would
		if pass < len(starts) {
			start = starts[pass]
		}
		var err error
		if last, err = r.trainPass(ctx, t, d, m, pass, start); err != nil {
			return nil, err
		}
		m.Stages = append(m.Stages, last)
		if m, err = seal(m); err != nil { // what the next pass is trained on is what will be loaded
			return nil, err
		}
	}
	return finish(ctx, m, d)
}

// trainPass trains the stage that follows those of m.
func (r NonLocalRecipe) trainPass(ctx context.Context, t *Trainer, d Data, m *model.Model, pass int, start *stage.NonLocal) (*stage.NonLocal, error) {
	layout := stageLayout{transforms: 2 * r.Clusters, k: PatchSize * PatchSize, n: PatchSize * PatchSize, hidden: r.Hidden}
	theta := startTheta(layout, d.Seed)
	if start != nil {
		if err := layout.take(theta, start); err != nil { // before the work
			return nil, err
		}
	}
	crops, err := r.group(ctx, Crops(d.Groups, r.Crops, r.CropSize, d.Sigma, d.Seed+uint64(10+pass)), m, pass, d)
	if err != nil {
		return nil, err
	}
	classifier, err := r.cluster(ctx, crops, start, d)
	if err != nil {
		return nil, err
	}
	loss := newGroupLoss(layout, crops, d.Seed+uint64(pass), d.Workers)
	phase := Phase{
		Name:      fmt.Sprintf("non-local pass %d", pass+1),
		Objective: loss,
		Optimizer: NewAdam(len(theta)), Steps: r.Steps, Rate: CosineRate(r.Rate),
	}
	if held := d.heldBackCrops(r.CropSize); len(held) > 0 {
		crops, err := r.group(ctx, held, m, pass, d)
		if err != nil {
			return nil, err
		}
		if err := label(ctx, crops, classifier, d); err != nil {
			return nil, err
		}
		phase.Validation = loss.withCrops(crops)
	}
	if err := t.Run(ctx, phase, theta); err != nil {
		return nil, err
	}
	first, others := pairSchedules(pass)
	next := &stage.NonLocal{PatchSize: PatchSize, Window: r.Window, Step: r.Step, Offset: passOffset * pass % r.Step, Residual: r.residual(pass),
		Scouted: scouted(pass), Schedule: others, First: &first, Classifier: classifier, Weights: layout.weightFunction(theta)}
	for i := range layout.transforms {
		next.Transforms = append(next.Transforms, layout.transform(theta, i))
	}
	return stage.NewNonLocal(next)
}

// pairSchedules run ADMM for first columns and for the others. The pilot is a good start, the better, the later the pass:
// all passes are within 0.01 dB of convergence. First columns are few and converge slowly.
func pairSchedules(pass int) (first, others solve.Schedule) {
	if pass == 0 {
		return solve.Schedule{Iterations: 12, RhoStart: 0.5, RhoEnd: 8, Ramp: 11, Relaxation: 1.89},
			solve.Schedule{Iterations: 5, RhoStart: 0.5, RhoEnd: 9, Ramp: 4, Relaxation: 1.87}
	}
	return solve.Schedule{Iterations: 8, RhoStart: 0.5, RhoEnd: 8, Ramp: 7, Relaxation: 1.89},
		solve.Schedule{Iterations: 4, RhoStart: 0.5, RhoEnd: 9, Ramp: 3, Relaxation: 1.85}
}

// group matches blocks on the pilots of all crops, which are the outputs of m. Crops too small for a group are left out.
func (r NonLocalRecipe) group(ctx context.Context, crops []Pair, m *model.Model, pass int, d Data) ([]groupCrop, error) {
	pilots, err := denoiseAll(ctx, m, crops, d.Sigma, d.Workers)
	if err != nil {
		return nil, err
	}
	found := make([]groupCrop, len(crops))
	matching := patchify.Matching{PatchSize: PatchSize, Count: stage.GroupSize, Window: r.TrainWindow}
	err = parallel.For(ctx, d.Workers, len(crops), func(_, i int) {
		g, err := patchify.NewGrid(pilots[i].Width, pilots[i].Height, PatchSize, trainStep)
		if err != nil {
			return
		}
		c := groupCrop{clean: inSigma(crops[i].Clean, d.Sigma), noisy: inSigma(crops[i].Noisy, d.Sigma), pilot: pilots[i],
			columns: len(g.Xs), rows: len(g.Ys), members: make([]int32, g.Len()*stage.GroupSize), clusters: make([]int32, g.Len())}
		in := stage.Input{Noisy: c.noisy, Pilot: c.pilot}
		searched := stage.MatchingPlane(patchify.NewPlane(c.pilot.Width, c.pilot.Height), in, r.residual(pass))
		patchify.NewMatcher(matching).Match(c.members, searched, g)
		found[i] = c
	})
	found = slices.DeleteFunc(found, func(c groupCrop) bool { return c.columns == 0 })
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("all %d crops are smaller than a patch", len(crops))
	}
	return found, err
}

// scouted of a pass: where pilots are good, few offsets are as good as many.
func scouted(pass int) int {
	if pass > 0 {
		return 3
	}
	return 6
}

// residual of a pass: the pilots of later ones have lost less, and noise misleads.
func (r NonLocalRecipe) residual(pass int) float64 {
	if pass > 0 {
		return 0
	}
	return r.Residual
}

func inSigma(p patchify.Plane, sigma float64) patchify.Plane {
	out := patchify.NewPlane(p.Width, p.Height)
	for i, v := range p.Pix {
		out.Pix[i] = v / float32(sigma)
	}
	return out
}

// clusterGroups is how many groups of a crop decide the centroids.
const clusterGroups = 250

// cluster finds clusters of the groups' mean pilot patches, or takes those of the stage to start from, and labels all
// groups.
func (r NonLocalRecipe) cluster(ctx context.Context, crops []groupCrop, start *stage.NonLocal, d Data) (*stage.Classifier, error) {
	if r.Clusters == 1 {
		return nil, nil
	}
	features, err := groupFeatures(ctx, crops, d)
	if err != nil {
		return nil, err
	}
	var centroids [][]float64
	if start != nil {
		centroids = start.Classifier.Centroids
	} else {
		rng := rand.New(rand.NewPCG(d.Seed, 6))
		var points [][]float32
		for _, f := range features {
			for _, i := range rng.Perm(len(f))[:min(clusterGroups, len(f))] {
				points = append(points, f[i])
			}
		}
		if len(points) < r.Clusters {
			return nil, fmt.Errorf("%d groups are too few for %d clusters", len(points), r.Clusters)
		}
		if centroids, err = kMeans(ctx, points, r.Clusters, 20, d.Workers, rng); err != nil {
			return nil, err
		}
	}
	return stage.NewClassifier(PatchSize, centroids), labelAll(ctx, crops, features, centroids, d)
}

func groupFeatures(ctx context.Context, crops []groupCrop, d Data) ([][][]float32, error) {
	features := make([][][]float32, len(crops))
	return features, parallel.For(ctx, d.Workers, len(crops), func(_, i int) {
		features[i] = stage.GroupFeatures(crops[i].pilot, crops[i].members)
	})
}

// label gives the groups of other crops their clusters; without a classifier there is one.
func label(ctx context.Context, crops []groupCrop, c *stage.Classifier, d Data) error {
	if c == nil {
		return nil
	}
	features, err := groupFeatures(ctx, crops, d)
	if err != nil {
		return err
	}
	return labelAll(ctx, crops, features, c.Centroids, d)
}

func labelAll(ctx context.Context, crops []groupCrop, features [][][]float32, centroids [][]float64, d Data) error {
	labels := make([]int, 0)
	for i := range crops {
		labels = slices.Grow(labels[:0], len(features[i]))[:len(features[i])]
		if err := assign(ctx, labels, features[i], centroids, d.Workers); err != nil {
			return err
		}
		for g, c := range labels {
			crops[i].clusters[g] = int32(c)
		}
	}
	return nil
}
