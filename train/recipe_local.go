package train

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// LocalRecipe trains a model of two local stages:
//
//  1. The first stage (pilot) has one transform of 63 rows of mean zero, so it does not change the mean of a patch.
//     Training starts from a scaled DCT.
//  2. The second stage (union) has one transform for each cluster of patches. The first stage denoises crops of the
//     training images, and k-means finds clusters of their patches. Each transform is trained on the patches of its
//     cluster and starts from the transform of the first stage.
type LocalRecipe struct {
	BatchSize int     // pairs of a minibatch, for each transform
	Start     float64 // scale of the DCT at the start, in units of 1/sigma

	PilotSteps, UnionSteps int
	PilotRate, UnionRate   float64 // peak of DecayingRate, for Adam
	Clusters               int
	Crops, CropSize        int // number and side, in samples, of the crops for the union
	KMeansPoints           int // largest number of patches that k-means uses
}

// DefaultLocalRecipe returns the recipe of the shipped models "local".
func DefaultLocalRecipe() LocalRecipe {
	return LocalRecipe{BatchSize: 5 * solve.Lanes, Start: 0.9, PilotSteps: 1500, UnionSteps: 300,
		PilotRate: 1e-2, UnionRate: 1e-2, Clusters: 32, Crops: 240, CropSize: 160, KMeansPoints: 40000}
}

// check checks the settings.
func (r LocalRecipe) check() error {
	return cmp.Or(atLeast("BatchSize", r.BatchSize, 1), positiveSetting("Start", r.Start),
		atLeast("PilotSteps", r.PilotSteps, 0), atLeast("UnionSteps", r.UnionSteps, 0),
		positiveSetting("PilotRate", r.PilotRate), positiveSetting("UnionRate", r.UnionRate),
		atLeast("Clusters", r.Clusters, 1), atLeast("Crops", r.Crops, 1), atLeast("CropSize", r.CropSize, PatchSize),
		atLeast("KMeansPoints", r.KMeansPoints, r.Clusters))
}

// Train runs the recipe. A trainer that has resumed a checkpoint of the same recipe and data goes on from there; nil
// means a new one without reports. Errors are of the kinds of this package.
func (r LocalRecipe) Train(ctx context.Context, t *Trainer, d Data) (*model.Model, error) {
	if err := cmp.Or(r.check(), d.validate()); err != nil {
		return nil, err
	}
	if t == nil {
		t = new(Trainer)
	}
	basis := solve.DCTBasis(PatchSize)
	w := solve.Identity(basis.K, r.Start)
	source := &Patches{Groups: d.Groups, Sigma: d.Sigma, PatchSize: PatchSize, basis: basis, Seed: d.Seed}
	phase := Phase{
		Name:      "pilot",
		Objective: r.loss(w, d, source),
		Optimizer: NewAdam(len(w.W)), Steps: r.PilotSteps, Rate: DecayingRate(r.PilotRate),
	}
	if held := d.NoisyValidation(); len(held) > 0 {
		heldBack := *source
		heldBack.Groups = [][]Pair{held}
		phase.Validation = r.loss(w, d, &heldBack)
	}
	if err := t.Run(ctx, phase, w.W); err != nil {
		return nil, err
	}
	schedule, err := tuneSchedule(ctx, []solve.Transform{w}, []Source{source}, d.Workers)
	if err != nil {
		return nil, err
	}
	pilot, err := stage.NewLocal(PatchSize, schedule, []solve.Transform{w.Mul(basis)}, nil)
	if err != nil {
		return nil, err
	}
	m := &model.Model{Info: model.Info{Name: "local", Sigma: 255 * d.Sigma, Plane: "gray", Seed: d.Seed},
		Stages: stage.Sequence{pilot}}
	union, err := r.trainUnion(ctx, t, d, m, w, basis)
	if err != nil {
		return nil, err
	}
	m.Stages = append(m.Stages, union)
	return finish(ctx, m, d)
}

// loss returns the loss of one transform of the size of w for each source.
func (r LocalRecipe) loss(w solve.Transform, d Data, sources ...Source) *Transforms {
	return &Transforms{K: w.K, N: w.N, BatchSize: r.BatchSize, Workers: d.Workers, Sources: sources}
}

// trainUnion trains the second stage on the outputs of the first stage, pilot. start is the transform of the first
// stage for coefficients in the basis.
func (r LocalRecipe) trainUnion(ctx context.Context, t *Trainer, d Data, pilot *model.Model, start,
	basis solve.Transform) (*stage.Local, error) {
	patches, err := newCropPatches(ctx, drawCrops(d.Groups, r.Crops, r.CropSize, d.Sigma, d.Seed+1), pilot, d)
	if err != nil {
		return nil, err
	}
	centroids, err := r.centroids(ctx, patches.features, d)
	if err != nil {
		return nil, err
	}
	sources, err := patches.sources(ctx, centroids, basis, d)
	if err != nil {
		return nil, err
	}
	var theta []float64
	for range r.Clusters {
		theta = append(theta, start.W...)
	}
	phase := Phase{
		Name:      "union",
		Objective: r.loss(start, d, sources...),
		Optimizer: NewAdam(len(theta)), Steps: r.UnionSteps, Rate: DecayingRate(r.UnionRate),
	}
	if held := d.heldBackCrops(r.CropSize); len(held) > 0 {
		patches, err := newCropPatches(ctx, held, pilot, d)
		if err != nil {
			return nil, err
		}
		sources, err := patches.sources(ctx, centroids, basis, d)
		if err != nil {
			return nil, err
		}
		phase.Validation = r.loss(start, d, sources...)
	}
	if err := t.Run(ctx, phase, theta); err != nil {
		return nil, err
	}
	var learned, transforms []solve.Transform
	for c := range r.Clusters {
		v := solve.Transform{K: start.K, N: start.N, W: theta[c*len(start.W) : (c+1)*len(start.W)]}
		learned = append(learned, v)
		transforms = append(transforms, v.Mul(basis))
	}
	schedule, err := tuneSchedule(ctx, learned, sources, d.Workers)
	if err != nil {
		return nil, err
	}
	return stage.NewLocal(PatchSize, schedule, transforms, stage.NewClassifier(PatchSize, centroids))
}

// centroids returns the centroids of the clusters of the features of patches.
func (r LocalRecipe) centroids(ctx context.Context, points [][]float32, d Data) ([][]float64, error) {
	if len(points) < r.Clusters {
		return nil, fmt.Errorf("%w: %d patches are too few for %d clusters", ErrData, len(points), r.Clusters)
	}
	rng := rand.New(rand.NewPCG(d.Seed, 2))
	subset := points
	if len(points) > r.KMeansPoints {
		subset = make([][]float32, r.KMeansPoints)
		for i, j := range rng.Perm(len(points))[:r.KMeansPoints] {
			subset[i] = points[j]
		}
	}
	return kMeans(ctx, subset, r.Clusters, 20, d.Workers, rng)
}
