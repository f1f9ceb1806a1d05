package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestLogarithm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.Float32Range(featureOffset, 1e30).Draw(rt, "v")
		if got, want := float64(logarithm(v)), math.Log(float64(v)); math.Abs(got-want) > 1e-4 {
			rt.Fatalf("log %g is %g, want %g", v, got, want)
		}
	})
	for _, v := range []float32{0.3, 0.5, 0.70710677, 0.70710683, 1, 1.4142135, 1.4142137, 2, 1e-30} {
		if got, want := float64(logarithm(v)), math.Log(float64(v)); math.Abs(got-want) > 1e-4 {
			t.Errorf("log %g is %g, want %g", v, got, want)
		}
	}
}

// The labels are those of the definition: nearest centroid to log(|DCT| + 0.3).
func TestClassifierAgainstTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const size, clusters = 5, 7
	dct := DCTBasis(size)
	centroids := make([][]float64, clusters)
	for c := range centroids {
		for range dct.K {
			centroids[c] = append(centroids[c], rng.NormFloat64())
		}
	}
	patches := make([]float32, size*size*Lanes)
	for i := range patches {
		patches[i] = 3 * float32(rng.NormFloat64())
	}
	classifier := NewClassifier(size, centroids)
	features, scores := make([]float32, dct.K*Lanes), make([]float32, clusters*Lanes)
	var labels [Lanes]int32
	classifier.Features(features, patches)
	classifier.Nearest(&labels, features, scores)
	for lane, label := range labels {
		patch, z := make([]float64, dct.N), make([]float64, dct.K)
		for i := range patch {
			patch[i] = float64(patches[i*Lanes+lane])
		}
		dct.Analyze(z, patch)
		distance := make([]float64, clusters)
		for i, v := range z {
			f := math.Log(math.Abs(v) + 0.3)
			if d := math.Abs(f - float64(features[i*Lanes+lane])); d > 2e-4 {
				t.Fatalf("patch %d: feature %d is %g away", lane, i, d)
			}
			for c := range distance {
				distance[c] += (f - centroids[c][i]) * (f - centroids[c][i])
			}
		}
		for c, d := range distance {
			if d < distance[label]-0.01 {
				t.Errorf("patch %d: cluster %d at distance %g, but %d is at %g", lane, label, distance[label], c, d)
			}
		}
	}
}
