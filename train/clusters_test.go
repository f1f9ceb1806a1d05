package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func TestKMeansFindsSeparateClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var points [][]float32
	for i := range 300 {
		points = append(points, []float32{float32(10*(i%3)) + float32(rng.NormFloat64()), float32(rng.NormFloat64())})
	}
	var want [][]float64
	for _, workers := range []int{1, 4} {
		c := must.Get(kMeans(context.Background(), points, 3, 10, workers, rand.New(rand.NewPCG(3, 3))))(t)
		slices.SortFunc(c, func(a, b []float64) int { return int(a[0] - b[0]) })
		for i := range c {
			if math.Abs(c[i][0]-float64(10*i)) > 0.5 || math.Abs(c[i][1]) > 0.5 {
				t.Errorf("centroid %d at %v", i, c[i])
			}
		}
		if want == nil {
			want = c
		} else if !slices.EqualFunc(c, want, slices.Equal) {
			t.Error("centroids depend on the number of workers")
		}
	}
}
