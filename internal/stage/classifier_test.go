package stage

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// The labels agree with the definition: the nearest centroid to log(|DCT| + 0.3).
func TestClassifierAgainstTheDefinition(t *testing.T) {
	for _, size := range []int{5, 8} {
		testClassifier(t, size)
	}
}

func testClassifier(t *testing.T, size int) {
	t.Helper()
	const clusters = 7
	rng := rand.New(rand.NewPCG(4, 4))
	dct := solve.DCTBasis(size)
	centroids := make([][]float64, clusters)
	for c := range centroids {
		for range dct.K {
			centroids[c] = append(centroids[c], rng.NormFloat64())
		}
	}
	patches := make([]float32, size*size*solve.Lanes)
	for i := range patches {
		patches[i] = 3 * float32(rng.NormFloat64())
	}
	classifier := NewClassifier(size, centroids)
	features, scores := make([]float32, dct.K*solve.Lanes), make([]float32, clusters*solve.Lanes)
	var labels [solve.Lanes]int32
	classifier.Features(features, slices.Clone(patches))
	classifier.Nearest(&labels, features, scores)
	for lane, label := range labels {
		patch, z := make([]float64, dct.N), make([]float64, dct.K)
		for i := range patch {
			patch[i] = float64(patches[i*solve.Lanes+lane])
		}
		dct.Analyze(z, patch)
		distance := make([]float64, clusters)
		for i, v := range z {
			f := math.Log(math.Abs(v) + 0.3)
			if d := math.Abs(f - float64(features[i*solve.Lanes+lane])); d > 2e-4 {
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
