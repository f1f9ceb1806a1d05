package stage

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

func TestLogMagnitudes(t *testing.T) {
	check := func(t interface {
		Fatalf(string, ...any)
	}, v float32) {
		got := []float32{v}
		logMagnitudes(got)
		if want := math.Log(math.Abs(float64(v)) + featureOffset); !(math.Abs(float64(got[0])-want) < 4e-5) {
			t.Fatalf("of %g: %g, want %g", v, got[0], want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		check(rt, rapid.Float32Range(-1e30, 1e30).Draw(rt, "v"))
		check(rt, rapid.Float32Range(-100, 100).Draw(rt, "small v"))
	})
	for _, v := range []float32{0, 0.2, 0.69999, 0.7, 0.70001, 1 << 20, 1<<20 - 1, 1<<20 + 1, math.MaxFloat32} {
		check(t, v)
		check(t, -v)
	}
}

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
