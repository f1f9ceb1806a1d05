package train

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// groupCrops denoises the crops by m to get their pilots and finds the groups of similar patches of each.
func (r NonLocalRecipe) groupCrops(ctx context.Context, crops []Pair, m *model.Model, pass int, d Data) ([]groupCrop,
	error) {
	pilots, err := r.pilots(ctx, crops, m, pass, d)
	if err != nil {
		return nil, err
	}
	found, errs := make([]groupCrop, len(crops)), make([]error, len(crops))
	matching := patchify.Matching{PatchSize: PatchSize, Count: stage.GroupSize, Window: r.TrainWindow}
	err = parallel.For(ctx, d.Workers, len(crops), func(_, i int) {
		g, err := patchify.NewGrid(pilots[i].Width, pilots[i].Height, PatchSize, trainStep)
		if err != nil {
			errs[i] = err
			return
		}
		c := groupCrop{clean: inSigma(crops[i].Clean, d.Sigma), noisy: inSigma(crops[i].Noisy, d.Sigma),
			pilot:   pilots[i],
			columns: len(g.Xs), rows: len(g.Ys), members: make([]int32, g.Len()*stage.GroupSize),
			clusters: make([]int32, g.Len())}
		in := stage.Input{Noisy: c.noisy, Pilot: c.pilot}
		plane := stage.MatchingPlane(patchify.NewPlane(c.pilot.Width, c.pilot.Height), in, r.residual(pass))
		patchify.NewMatcher(matching).Match(c.members, plane, g)
		found[i] = c
	})
	return found, cmp.Or(err, cmp.Or(errs...))
}

// pilots denoises the crops by the stages before a pass. The ways to do so take turns within each group of images.
func (r NonLocalRecipe) pilots(ctx context.Context, crops []Pair, m *model.Model, pass int, d Data) ([]patchify.Plane,
	error) {
	var ways []Pilot
	for _, p := range r.Pilots {
		if p.Passes == 0 || pass < p.Passes {
			ways = append(ways, p)
		}
	}
	if len(ways) == 0 {
		return denoiseAll(ctx, m, crops, d.Sigma, d.Workers)
	}
	out, errs := make([]patchify.Plane, len(crops)), make([]error, len(crops))
	err := parallel.For(ctx, d.Workers, len(crops), func(_, i int) {
		way := ways[i/len(d.Groups)%len(ways)]
		p, err := way.Denoise(ctx, m, crops[i].Noisy, d.Sigma)
		out[i], errs[i] = inSigma(p, d.Sigma), err
	})
	return out, cmp.Or(err, cmp.Or(errs...))
}

// inSigma returns a plane in units of sigma.
func inSigma(p patchify.Plane, sigma float64) patchify.Plane {
	out := patchify.NewPlane(p.Width, p.Height)
	for i, v := range p.Pix {
		out.Pix[i] = v / float32(sigma)
	}
	return out
}

// clusterGroups is the largest number of groups of a crop that k-means uses.
const clusterGroups = 250

// classify finds clusters of the mean pilot patches of groups and assigns all groups to them. With a stage to start
// from, it uses the clusters of that stage. It returns nil for a single cluster.
func (r NonLocalRecipe) classify(ctx context.Context, crops []groupCrop, start *stage.NonLocal,
	d Data) (*stage.Classifier, error) {
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
			return nil, fmt.Errorf("%w: %d groups are too few for %d clusters", ErrData, len(points), r.Clusters)
		}
		if centroids, err = kMeans(ctx, points, r.Clusters, 20, d.Workers, rng); err != nil {
			return nil, err
		}
	}
	return stage.NewClassifier(PatchSize, centroids), assignNearest(ctx, crops, features, centroids, d)
}

// groupFeatures returns the features of each group of each crop.
func groupFeatures(ctx context.Context, crops []groupCrop, d Data) ([][][]float32, error) {
	features := make([][][]float32, len(crops))
	return features, parallel.For(ctx, d.Workers, len(crops), func(_, i int) {
		features[i] = stage.GroupFeatures(crops[i].pilot, crops[i].members)
	})
}

// assignClusters assigns the groups of crops to the clusters of a classifier. Without one there is only one cluster.
func assignClusters(ctx context.Context, crops []groupCrop, c *stage.Classifier, d Data) error {
	if c == nil {
		return nil
	}
	features, err := groupFeatures(ctx, crops, d)
	if err != nil {
		return err
	}
	return assignNearest(ctx, crops, features, c.Centroids, d)
}

// assignNearest assigns each group to the cluster with the nearest centroid.
func assignNearest(ctx context.Context, crops []groupCrop, features [][][]float32, centroids [][]float64,
	d Data) error {
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
