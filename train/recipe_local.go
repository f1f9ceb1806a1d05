package train

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// LocalRecipe trains a union of transforms in two stages:
//
//  1. One square transform on the patches without their mean (63 rows, orthogonal to the constant patch, which they thus
//     leave free), from a scaled DCT.
//  2. The first stage denoises crops of the training images; k-means finds clusters of their patches; one transform for
//     each cluster is trained from that of the first stage on the cluster's patches.
type LocalRecipe struct {
	BatchSize int     // of each transform
	Start     float64 // scale of the DCT at the start, in units of 1/sigma

	PilotSteps, UnionSteps int
	PilotRate, UnionRate   float64 // peak of DecayingRate, for Adam
	Clusters               int
	Crops, CropSize        int
	KMeansPoints           int // at most so many patches decide the centroids
}

// DefaultLocalRecipe is what the shipped models were trained with.
func DefaultLocalRecipe() LocalRecipe {
	return LocalRecipe{BatchSize: 5 * solve.Lanes, Start: 0.9, PilotSteps: 1500, UnionSteps: 300,
		PilotRate: 1e-2, UnionRate: 1e-2, Clusters: 32, Crops: 240, CropSize: 160, KMeansPoints: 40000}
}

// Train runs the recipe. With t resumed from a checkpoint of the same recipe and data it goes on from there.
func (r LocalRecipe) Train(ctx context.Context, t *Trainer, d Data) (*model.Model, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	basis := solve.DCTBasis(PatchSize)
	w := solve.Identity(basis.K, r.Start)
	source := &Patches{Groups: d.Groups, Sigma: d.Sigma, PatchSize: PatchSize, Basis: basis, Seed: d.Seed}
	phase := Phase{
		Name:      "pilot",
		Objective: r.loss(w, d, source),
		Optimizer: NewAdam(len(w.W)), Steps: r.PilotSteps, Rate: DecayingRate(r.PilotRate),
	}
	if held := d.withNoise(); len(held) > 0 {
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
	m := &model.Model{Info: model.Info{Name: "local", Sigma: 255 * d.Sigma, Plane: "gray", Seed: d.Seed}, Stages: stage.Sequence{pilot}}
	union, err := r.trainUnion(ctx, t, d, m, w, basis)
	if err != nil {
		return nil, err
	}
	m.Stages = append(m.Stages, union)
	return finish(ctx, m, d)
}

// loss is that of transforms of the size of w, one for each source.
func (r LocalRecipe) loss(w solve.Transform, d Data, sources ...Source) *Transforms {
	return &Transforms{K: w.K, N: w.N, BatchSize: r.BatchSize, Workers: d.Workers, Sources: sources}
}

// trainUnion is the second stage; start is the first stage's transform in the coordinates of the basis.
func (r LocalRecipe) trainUnion(ctx context.Context, t *Trainer, d Data, pilot *model.Model, start, basis solve.Transform) (*stage.Local, error) {
	patches, err := newCropPatches(ctx, Crops(d.Groups, r.Crops, r.CropSize, d.Sigma, d.Seed+1), pilot, d)
	if err != nil {
		return nil, err
	}
	points := patches.features
	if len(points) < r.Clusters {
		return nil, fmt.Errorf("%d patches are too few for %d clusters", len(points), r.Clusters)
	}
	rng := rand.New(rand.NewPCG(d.Seed, 2))
	subset := points
	if len(points) > r.KMeansPoints {
		subset = make([][]float32, r.KMeansPoints)
		for i, j := range rng.Perm(len(points))[:r.KMeansPoints] {
			subset[i] = points[j]
		}
	}
	centroids, err := kMeans(ctx, subset, r.Clusters, 20, d.Workers, rng)
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

// denoiseAll returns the outputs of a model for the noisy crops, in units of sigma.
func denoiseAll(ctx context.Context, m *model.Model, crops []Pair, sigma float64, workers int) ([]patchify.Plane, error) {
	out := make([]patchify.Plane, len(crops))
	errs := make([]error, len(crops))
	err := parallel.For(ctx, workers, len(crops), func(_, i int) {
		if out[i], errs[i] = m.Stages.Denoise(ctx, crops[i].Noisy, sigma, stage.Options{Workers: 1}); errs[i] == nil {
			for j := range out[i].Pix {
				out[i].Pix[j] /= float32(sigma)
			}
		}
	})
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	return out, err
}

// finish rounds the model to its file and measures it.
func finish(ctx context.Context, m *model.Model, d Data) (*model.Model, error) {
	m, err := seal(m)
	if err != nil {
		return nil, err
	}
	m.ValidationPSNR, err = validate(ctx, m, d.withNoise(), d.Sigma, stage.Options{Workers: d.Workers})
	return m, err
}
