package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/must"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
	"github.com/blorc-denoise/blorc-denoise/patchify"
)

// testGroupLoss returns a small loss on random crops and parameters to start from.
func testGroupLoss(clusters, workers int) (*groupLoss, []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	const side, refs = 40, 6
	var crops []groupCrop
	for range 2 {
		c := groupCrop{clean: patchify.NewPlane(side, side), noisy: patchify.NewPlane(side, side),
			pilot:   patchify.NewPlane(side, side),
			columns: refs, rows: refs}
		for i := range c.clean.Pix {
			c.clean.Pix[i] = float32(6*math.Sin(float64(i%side)/3) + 3*math.Cos(float64(i/side)/2))
			c.noisy.Pix[i] = c.clean.Pix[i] + float32(rng.NormFloat64())
			c.pilot.Pix[i] = c.clean.Pix[i] + float32(0.4*rng.NormFloat64())
		}
		for range refs * refs {
			c.clusters = append(c.clusters, int32(rng.IntN(clusters)))
			for range stage.GroupSize {
				c.members = append(c.members, int32(rng.IntN(side-8)*side+rng.IntN(side-8)))
			}
		}
		crops = append(crops, c)
	}
	layout := stageLayout{transforms: 2 * clusters, k: 64, n: 64, hidden: 5}
	o := newGroupLoss(layout, crops, 9, workers)
	o.batch, o.side = 2, 2
	theta := startTheta(layout, 3)
	for i := range theta {
		theta[i] += 0.03 * rng.NormFloat64()
	}
	return o, theta
}

func TestGroupLossGradientAgainstCentralDifferences(t *testing.T) {
	const clusters = 2
	o, theta := testGroupLoss(clusters, 2)
	ctx := context.Background()
	grad, scratch := make([]float64, len(theta)), make([]float64, len(theta))
	batch, err := o.Gradient(ctx, 5, theta, grad)
	if err != nil || batch.NotConverged > 0 {
		t.Fatal(batch, err)
	}
	loss := func(i int, h float64) float64 {
		moved := slices.Clone(theta)
		moved[i] += h
		b := must.Get(o.Gradient(ctx, 5, moved, scratch))(t)
		return b.Loss
	}
	rng := rand.New(rand.NewPCG(3, 4))
	l := o.layout
	transforms := l.transforms * l.k * l.n
	var entries []int
	for range 16 {
		entries = append(entries, rng.IntN(transforms))
	}
	for i := transforms; i < len(theta); i++ {
		entries = append(entries, i)
	}
	norm, worst := 0.0, 0.0
	for _, g := range grad {
		norm = max(norm, math.Abs(g))
	}
	for _, i := range entries {
		const h = 1e-6 // fourth order
		want := (8*(loss(i, h)-loss(i, -h)) - (loss(i, 2*h) - loss(i, -2*h))) / (12 * h)
		e := math.Abs(grad[i]-want) / norm
		if e > 1e-6 {
			t.Errorf("parameter %d of %d: gradient %g, differences %g", i, len(theta), grad[i], want)
		}
		worst = max(worst, e)
	}
	t.Logf("largest error %.1e of the largest entry %g, over %d of %d parameters", worst, norm, len(entries),
		len(theta))
}

func TestGroupLossSameBytesForAnyWorkers(t *testing.T) {
	var want []float64
	for _, workers := range []int{1, 2, 5} {
		o, theta := testGroupLoss(2, workers)
		grad := make([]float64, len(theta))
		for step := range 3 {
			must.Get(o.Gradient(context.Background(), step, theta, grad))(t)
		}
		if want == nil {
			want = grad
		}
		if !slices.Equal(grad, want) {
			t.Fatalf("%d workers give another gradient", workers)
		}
	}
}

// Columns without an exact solution, here because of nearly dependent rows, have duals that the penalties allow and do
// not contribute to the gradient.
func TestColumnsThatDoNotConverge(t *testing.T) {
	o, theta := testGroupLoss(2, 2)
	for i := range o.layout.transforms {
		w := o.layout.transform(theta, i)
		for r := 1; r < w.K; r += 2 {
			for j := range w.Row(r) {
				w.Row(r)[j] = w.Row(r - 1)[j] + 0.5*w.Row((r + 1) % w.K)[j] + 1e-12*float64(j%3)
			}
		}
	}
	batch, err := o.Gradient(context.Background(), 5, theta, make([]float64, len(theta)))
	if err != nil || batch.NotConverged == 0 {
		t.Fatal(batch, err)
	}
	for _, j := range o.jobs {
		for l, inexact := range j.inexact {
			if !inexact {
				continue
			}
			j.penaltiesOf(l, j.penalties)
			for i, g := range j.penalties {
				if u := row(j.dual, l)[i]; !(math.Abs(u) <= g.D+g.E) {
					t.Errorf("dual %g beyond %g + %g", u, g.D, g.E)
				}
			}
		}
		for l := range j.inexact {
			j.inexact[l] = true
		}
		j.backward(o)
		for name, grad := range map[string][]float64{"transform": j.grad, "weight function": j.weightGrad.A} {
			if i := slices.IndexFunc(grad, func(v float64) bool { return v != 0 }); i >= 0 {
				t.Fatalf("%s: entry %d is %g", name, i, grad[i])
			}
		}
	}
}

func BenchmarkGroupLoss(b *testing.B) {
	o, theta := testGroupLoss(4, 0)
	grad := make([]float64, len(theta))
	samples := 0
	step := 0
	for b.Loop() {
		batch := must.Get(o.Gradient(context.Background(), step, theta, grad))(b)
		samples += batch.Samples
		step++
	}
	b.ReportMetric(float64(samples)/b.Elapsed().Seconds(), "columns/s")
}
