package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/safetensors"
)

// Classifier puts patches into the cluster with the nearest centroid. The features of a patch, in units of sigma, are
// log(|DCT coefficient| + 0.3) of all coefficients but the mean: its spectrum, whatever its phase and brightness.
//
// It works on panels, as the PanelSolver does: entry i of patch l is at i*Lanes + l.
type Classifier struct {
	PatchSize int
	Centroids [][]float64 // one per cluster, PatchSize^2 - 1 features each

	basis     *kernel.Matrix
	centroids *kernel.Matrix
	offsets   []float32 // half the squared norm of each centroid
}

// NewClassifier returns a classifier for the centroids. Without centroids it only computes features.
func NewClassifier(patchSize int, centroids [][]float64) *Classifier {
	dct := DCTBasis(patchSize)
	c := &Classifier{PatchSize: patchSize, Centroids: centroids}
	c.basis = kernel.Pack(toFloat32(dct.W), dct.K, dct.N)
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
		c.centroids = kernel.Pack(toFloat32(flat), len(centroids), dct.K)
	}
	return c
}

// Features writes the features of a panel of patches (PatchSize^2 rows) to a panel of PatchSize^2 - 1 rows.
func (c *Classifier) Features(features, patches []float32) {
	kernel.Mul(features, c.basis, patches)
	logMagnitudes(features)
}

// Nearest writes the cluster of each lane of a panel of features; of equally near ones the first. Scores is scratch
// memory, a panel with a row for each cluster.
func (c *Classifier) Nearest(labels *[Lanes]int32, features, scores []float32) {
	kernel.Mul(scores, c.centroids, features)
	var best [Lanes]float32
	for lane := range best {
		best[lane] = float32(math.Inf(-1))
	}
	for k, offset := range c.offsets {
		for lane, s := range scores[k*Lanes : (k+1)*Lanes] {
			if s -= offset; s > best[lane] { // ||f - c||^2 = ||f||^2 - 2 (c'f - ||c||^2 / 2)
				best[lane], labels[lane] = s, int32(k)
			}
		}
	}
}

// putCentroids and getCentroids keep a classifier in a model file.
func putCentroids(tensors map[string]safetensors.Tensor, prefix string, c *Classifier) {
	t := safetensors.Tensor{DType: safetensors.F32, Shape: []int{len(c.Centroids), len(c.Centroids[0])}}
	for _, centroid := range c.Centroids {
		t.Values = append(t.Values, centroid...)
	}
	tensors[prefix+"centroids"] = t
}

// getCentroids returns nil for a single cluster.
func getCentroids(tensors map[string]safetensors.Tensor, prefix string, patchSize, clusters int) (*Classifier, error) {
	if clusters <= 1 {
		return nil, nil
	}
	t, err := tensor(tensors, prefix+"centroids", 2)
	if err != nil {
		return nil, err
	}
	if t.Shape[1] != patchSize*patchSize-1 {
		return nil, fmt.Errorf("%w: centroids of %d features", ErrFormat, t.Shape[1])
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
