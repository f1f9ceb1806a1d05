package train

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// cropPatches holds the patches of noisy crops with the classifier's features of their pilots.
type cropPatches struct {
	crops    []Pair
	places   []place
	features [][]float32 // for each place
}

// newCropPatches denoises the crops by a model to get the pilots.
func newCropPatches(ctx context.Context, crops []Pair, pilot *model.Model, d Data) (*cropPatches, error) {
	pilots, err := denoiseAll(ctx, pilot, crops, d.Sigma, d.Workers)
	if err != nil {
		return nil, err
	}
	c := &cropPatches{crops: crops}
	c.places, c.features, err = features(ctx, pilots, PatchSize, d.Workers)
	return c, err
}

// sources returns a source for each cluster. The source of a cluster without patches draws from all patches.
func (c *cropPatches) sources(ctx context.Context, centroids [][]float64, basis solve.Transform, d Data) ([]Source,
	error) {
	labels := make([]int, len(c.features))
	if err := assign(ctx, labels, c.features, centroids, d.Workers); err != nil {
		return nil, err
	}
	members := make([][]place, len(centroids))
	for i, l := range labels {
		members[l] = append(members[l], c.places[i])
	}
	sources := make([]Source, len(centroids))
	for i := range sources {
		places := members[i]
		if len(places) == 0 {
			places = c.places
		}
		sources[i] = &clusterPatches{crops: c.crops, places: places, sigma: d.Sigma, patchSize: PatchSize, basis: basis,
			seed: d.Seed + uint64(i+1)<<32}
	}
	return sources, nil
}
