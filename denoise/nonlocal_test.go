package denoise

import (
	"fmt"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
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
		l := must.Get(stage.NewNonLocal(&stage.NonLocal{PatchSize: 8, Window: window, Step: 3, Offset: offset,
			Residual: residual, Weights: f,
			Transforms: []solve.Transform{w, w}, Schedule: solve.Schedule{Iterations: 3, RhoStart: 0.7, RhoEnd: 3,
				Ramp: 2, Relaxation: 1.7}}))(t)
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
		noSeams(t, fmt.Sprint(size), noisy, size[0], size[1], o, map[int]int{1: 96, 2: 150})
	}
}
