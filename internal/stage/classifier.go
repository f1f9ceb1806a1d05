package stage

import (
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// Classifier assigns patches to the cluster with the nearest centroid. The features of a patch, whose samples are in
// units of sigma, are log(|c| + kernel.NoisyOffset) for all DCT coefficients c except the mean. They describe the
// spectrum of the patch, independently of its phase and brightness.
//
// It works on panels of solve.Lanes patches, as solve.PanelSolver does: entry i of patch l is at i*solve.Lanes + l.
type Classifier struct {
	PatchSize int
	Centroids [][]float64 // one per cluster, PatchSize^2 - 1 features each

	basis     *kernel.Matrix // nil if kernel.DCT is for patches of this size
	centroids *kernel.Matrix
	offsets   []float32 // half the squared norm of each centroid
}

// NewClassifier returns a classifier for the centroids. Without centroids, it can only compute features.
func NewClassifier(patchSize int, centroids [][]float64) *Classifier {
	c := &Classifier{PatchSize: patchSize, Centroids: centroids}
	if patchSize != kernel.PatchSide {
		dct := solve.DCTBasis(patchSize)
		c.basis = kernel.Pack(toFloat32(dct.W), dct.K, dct.N)
	}
	var flat []float64
	for _, centroid := range centroids {
		flat = append(flat, centroid...)
		norm := 0.0
		for _, v := range centroid {
			norm += v * v
		}
		c.offsets = append(c.offsets, float32(norm/2))
	}
	if len(centroids) > 0 {
		c.centroids = kernel.Pack(toFloat32(flat), len(centroids), patchSize*patchSize-1)
	}
	return c
}

// Features computes the features (a panel of PatchSize^2 - 1 rows) of a panel of patches (PatchSize^2 rows). It
// overwrites the patches.
func (c *Classifier) Features(features, patches []float32) {
	coefficients := features
	if c.basis != nil {
		kernel.Mul(coefficients, c.basis, patches)
	} else {
		kernel.DCT(patches, patches)
		coefficients = patches[solve.Lanes:] // without the mean
	}
	kernel.LogMagnitudes(features, coefficients)
}

// Nearest writes the number of the nearest cluster of each lane of a panel of features to labels. The first of equally
// near clusters wins. Scores is scratch memory, a panel with a row for each cluster.
func (c *Classifier) Nearest(labels *[solve.Lanes]int32, features, scores []float32) {
	kernel.Mul(scores, c.centroids, features)
	var best [solve.Lanes]float32
	for lane := range best {
		best[lane] = float32(math.Inf(-1))
	}
	for k, offset := range c.offsets {
		for lane, s := range scores[k*solve.Lanes : (k+1)*solve.Lanes] {
			if s -= offset; s > best[lane] { // ||f - c||^2 = ||f||^2 - 2 (c'f - ||c||^2 / 2)
				best[lane], labels[lane] = s, int32(k)
			}
		}
	}
}

// putCentroids stores the centroids of a classifier in the tensors of a model file.
func putCentroids(tensors map[string]safetensors.Tensor, prefix string, c *Classifier) {
	t := safetensors.Tensor{DType: safetensors.F32, Shape: []int{len(c.Centroids), len(c.Centroids[0])}}
	for _, centroid := range c.Centroids {
		t.Values = append(t.Values, centroid...)
	}
	tensors[prefix+"centroids"] = t
}

// getCentroids reads what putCentroids stored. It returns nil for a single cluster, which needs no classifier.
func getCentroids(tensors map[string]safetensors.Tensor, prefix string, patchSize, clusters int) (*Classifier, error) {
	if clusters <= 1 {
		return nil, nil
	}
	t, err := tensor(tensors, prefix+"centroids", 2)
	if err != nil {
		return nil, err
	}
	if t.Shape[1] != patchSize*patchSize-1 {
		return nil, fmt.Errorf("%w: centroids with %d features, not %d", ErrFormat, t.Shape[1], patchSize*patchSize-1)
	}
	return NewClassifier(patchSize, slices.Collect(slices.Chunk(t.Values, t.Shape[1]))), nil
}

func toFloat32(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}
