package denoise

import (
	"context"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/model"
)

// nonLocal is a model of a local and three non-local stages with small windows and reference patches between those of
// the stage before, the last two of them on pilots that were corrected at half the size.
func nonLocal(t testing.TB) ModelSet {
	t.Helper()
	w := solve.Identity(64, 0.5)
	copy(w.W[64:], solve.DCTBasis(8).W)
	f := stage.WeightFunction{A: make([]float64, 2*stage.WeightFeatures), B: []float64{0.1, -0.1, 0.2, 0.05}, B0: -0.3,
		A0: 0.9, B1: -1,
		Position: []float64{0.1, 0.2}, Bias: [][]float64{{1, 2}, {2, 1}}}
	for i := range f.A {
		f.A[i] = float64(i%5) / 5
	}
	pass := func(window, offset int, residual float64) stage.Stage {
		l, err := stage.NewNonLocal(&stage.NonLocal{PatchSize: 8, Window: window, Step: 3, Offset: offset,
			Residual: residual, Weights: f,
			Transforms: []solve.Transform{w, w}, Schedule: solve.Schedule{Iterations: 3, RhoStart: 0.7, RhoEnd: 3,
				Ramp: 2, Relaxation: 1.7}})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	m, _ := union(t).choose(25)
	return setOf(t, &model.Model{Stages: stage.Sequence{m.Stages[1], pass(5, 0, 0.3), &stage.Correction{Smoothing: 1},
		pass(5, 2, 0), pass(8, 1, 0)}})
}

func TestNonLocalTilesHaveNoSeams(t *testing.T) {
	for _, size := range [][2]int{{1, 300}, {301, 233}, {197, 345}} {
		_, noisy := noisyScene(size[0], size[1], 25)
		o := Options{Models: nonLocal(t), Sigma: 25}
		whole := clone(noisy)
		if _, err := Planes(context.Background(), whole, size[0], size[1], o); err != nil {
			t.Fatal(err)
		}
		for workers, side := range map[int]int{1: 96, 2: 150} {
			o.Workers = workers
			got := clone(noisy)
			if _, err := tiled(got, size[0], size[1], o, side); err != nil {
				t.Fatal(err)
			}
			for p := range got {
				if i := firstDifference(got[p], whole[p]); i >= 0 {
					t.Fatalf("%v, plane %d, tiles of %d: (%d, %d) is %g, but %g in the whole", size, p, side,
						i%size[0], i/size[0], got[p][i], whole[p][i])
				}
			}
		}
	}
}
