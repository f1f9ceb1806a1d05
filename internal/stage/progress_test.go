package stage

import (
	"math"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// What runs report adds up to what Work expects, nearly: the grids of patches end at the edges of the plane.
func TestProgressEndsWhereWorkExpects(t *testing.T) {
	for name, q := range map[string]Sequence{"local": testSequence(t), "passes": nonLocalModel(t),
		"correction": correctedModel(t), "refined": refinedModel(t)} {
		var shares []float64
		o := Options{Stride: 3, Workers: 2}
		const width, height = 150, 120
		o.Progress = NewProgress(func(share float64) { shares = append(shares, share) })
		o.Progress.Expect(q.Steps(o).Work(width, height))
		denoised(t, q, noisy(squares(width, height), 0.1, 1), 0.1, o)
		last := 0.0
		for i, s := range shares {
			if s <= last || s > 1 {
				t.Errorf("%s: share %d is %g after %g", name, i, s, last)
			}
			last = s
		}
		if len(shares) < 3 || last < 0.8 {
			t.Errorf("%s: %d reports, the last of %g", name, len(shares), last)
		}
		if got := o.Progress.done / o.Progress.total; math.Abs(got-1) > 0.25 {
			t.Errorf("%s: %g of the work was done", name, got)
		}
	}
}

func TestNobodyIsTold(t *testing.T) {
	denoised(t, testSequence(t), patchify.NewPlane(20, 20), 0.1, Options{})
}
