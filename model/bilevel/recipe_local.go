package bilevel

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
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
	return LocalRecipe{BatchSize: 5 * model.Lanes, Start: 0.9, PilotSteps: 1500, UnionSteps: 300,
		PilotRate: 1e-2, UnionRate: 1e-2, Clusters: 32, Crops: 240, CropSize: 160, KMeansPoints: 40000}
}

// Train runs the recipe. With t resumed from a checkpoint of the same recipe and data it goes on from there.
func (r LocalRecipe) Train(ctx context.Context, t *Trainer, d Data) (*model.Model, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	basis := model.DCTBasis(PatchSize)
	w := model.Identity(basis.K, r.Start)
	source := &Patches{Groups: d.Groups, Sigma: d.Sigma, PatchSize: PatchSize, Basis: basis, Seed: d.Seed}
	err := t.Run(ctx, Phase{
		Name:      "pilot",
		Objective: &Transforms{K: w.K, N: w.N, BatchSize: r.BatchSize, Workers: d.Workers, Sources: []Source{source}},
		Optimizer: NewAdam(len(w.W)), Steps: r.PilotSteps, Rate: DecayingRate(r.PilotRate),
	}, w.W)
	if err != nil {
		return nil, err
	}
	schedule, err := tuneSchedule(ctx, []model.Transform{w}, []Source{source}, d.Workers)
	if err != nil {
		return nil, err
	}
	pilot, err := model.NewLocal(PatchSize, schedule, []model.Transform{w.Mul(basis)}, nil)
	if err != nil {
		return nil, err
	}
	m := &model.Model{Info: model.Info{Name: "local", Sigma: 255 * d.Sigma, Plane: "gray", Seed: d.Seed}, Stages: []model.Stage{pilot}}
	union, err := r.trainUnion(ctx, t, d, m, w, basis)
	if err != nil {
		return nil, err
	}
	m.Stages = append(m.Stages, union)
	return finish(ctx, m, d)
}

// trainUnion is the second stage; start is the first stage's transform in the coordinates of the basis.
func (r LocalRecipe) trainUnion(ctx context.Context, t *Trainer, d Data, pilot *model.Model, start, basis model.Transform) (*model.Local, error) {
	crops := Crops(d.Groups, r.Crops, r.CropSize, d.Sigma, d.Seed+1)
	pilots, err := denoiseAll(ctx, pilot, crops, d.Sigma, d.Workers)
	if err != nil {
		return nil, err
	}
	places, points, err := features(ctx, pilots, PatchSize, d.Workers)
	if err != nil {
		return nil, err
	}
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
	labels := make([]int, len(points))
	if err := assign(ctx, labels, points, centroids, d.Workers); err != nil {
		return nil, err
	}
	sources := clusterSources(crops, places, labels, r.Clusters, clusterPatches{crops: crops, sigma: d.Sigma, patchSize: PatchSize, basis: basis, seed: d.Seed})
	var theta []float64
	for range r.Clusters {
		theta = append(theta, start.W...)
	}
	err = t.Run(ctx, Phase{
		Name:      "union",
		Objective: &Transforms{K: start.K, N: start.N, BatchSize: r.BatchSize, Workers: d.Workers, Sources: sources},
		Optimizer: NewAdam(len(theta)), Steps: r.UnionSteps, Rate: DecayingRate(r.UnionRate),
	}, theta)
	if err != nil {
		return nil, err
	}
	var learned, transforms []model.Transform
	for c := range r.Clusters {
		v := model.Transform{K: start.K, N: start.N, W: theta[c*len(start.W) : (c+1)*len(start.W)]}
		learned = append(learned, v)
		transforms = append(transforms, v.Mul(basis))
	}
	schedule, err := tuneSchedule(ctx, learned, sources, d.Workers)
	if err != nil {
		return nil, err
	}
	return model.NewLocal(PatchSize, schedule, transforms, model.NewClassifier(PatchSize, centroids))
}

// clusterSources makes one source for each cluster. A cluster without patches draws from all of them.
func clusterSources(crops []Pair, places []place, labels []int, clusters int, prototype clusterPatches) []Source {
	members := make([][]place, clusters)
	for i, c := range labels {
		members[c] = append(members[c], places[i])
	}
	sources := make([]Source, clusters)
	for c := range sources {
		source := prototype
		source.places = members[c]
		if len(source.places) == 0 {
			source.places = places
		}
		source.seed += uint64(c+1) << 32
		sources[c] = &source
	}
	return sources
}

// denoiseAll returns the outputs of a model for the noisy crops, in units of sigma.
func denoiseAll(ctx context.Context, m *model.Model, crops []Pair, sigma float64, workers int) ([]patchify.Plane, error) {
	out := make([]patchify.Plane, len(crops))
	errs := make([]error, len(crops))
	err := parallel.For(ctx, workers, len(crops), func(_, i int) {
		if out[i], errs[i] = m.Denoise(ctx, crops[i].Noisy, sigma, model.Options{Workers: 1}); errs[i] == nil {
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
	m.ValidationPSNR, err = validate(ctx, m, d.withNoise(), d.Sigma, model.Options{Workers: d.Workers})
	return m, err
}
