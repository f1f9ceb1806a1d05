package train

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// Pilots take turns, and those that few passes follow are left out of the training of later ones.
func TestPilotsTakeTurns(t *testing.T) {
	r, d := smallNonLocal(t), smallData()
	var mu sync.Mutex
	used := map[string]int{}
	pilot := func(name string, passes int, level float32) Pilot {
		return Pilot{Name: name, Passes: passes, Denoise: func(_ context.Context, _ *model.Model, noisy patchify.Plane,
			_ float64) (patchify.Plane, error) {
			mu.Lock()
			used[name]++
			mu.Unlock()
			out := patchify.NewPlane(noisy.Width, noisy.Height)
			for i := range out.Pix {
				out.Pix[i] = level
			}
			return out, nil
		}}
	}
	r.Pilots = []Pilot{pilot("a", 1, 0.25), pilot("b", 0, 0.5)}
	crops := drawCrops(d.Groups, 4*len(d.Groups), r.CropSize, d.Sigma, 1)
	for pass, want := range [][]float32{{0.25, 0.5, 0.25, 0.5}, {0.5, 0.5, 0.5, 0.5}} {
		found := must.Get(r.groupCrops(context.Background(), crops, r.Local, pass, d))(t)
		var got []float32
		for i := 0; i < len(found); i += len(d.Groups) {
			got = append(got, found[i].pilot.Pix[0]*float32(d.Sigma))
		}
		if !slices.EqualFunc(got, want, func(a, b float32) bool { return a-b < 1e-6 && b-a < 1e-6 }) {
			t.Errorf("pass %d has pilots of level %g, not %g", pass+1, got, want)
		}
	}
	if n := 2 * len(d.Groups); used["a"] != n || used["b"] != 3*n {
		t.Errorf("pilots were used %v times, not %d and %d", used, n, 3*n)
	}
}
