package paper

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/onedim"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
	"github.com/blorc-denoise/blorc-denoise/train"
)

// huberLoss is the upper-level loss with the Huber penalty, as a train.Objective.
type huberLoss struct {
	k, n    int     // size of the transform
	delta   float64 // in the unit of W x
	batch   int     // pairs in a minibatch
	workers int
	source  train.Source
}

// Gradient implements train.Objective. It computes the gradient of each pair separately and adds them in a fixed order,
// so the result does not depend on the number of workers.
func (h *huberLoss) Gradient(ctx context.Context, step int, theta, grad []float64) (train.Batch, error) {
	h.source.Begin(step, h.batch)
	w := solve.Transform{K: h.k, N: h.n, W: theta}
	solvers := make([]*onedim.Smooth, parallel.Workers(h.workers))
	parts, losses := make([][]float64, h.batch), make([]float64, h.batch)
	err := parallel.For(ctx, h.workers, h.batch, func(worker, i int) {
		if solvers[worker] == nil {
			solvers[worker] = onedim.NewSmooth(w, onedim.Huber(h.delta))
		}
		clean, noisy := make([]float64, h.n), make([]float64, h.n)
		h.source.Sample(i, clean, noisy)
		solvers[worker].Solve(noisy)
		parts[i] = make([]float64, len(theta))
		losses[i] = solvers[worker].Gradient(parts[i], clean)
	})
	clear(grad)
	for _, p := range parts {
		if p != nil {
			floats.AddScaled(grad, 1/float64(h.batch), p)
		}
	}
	return train.Batch{Loss: floats.Sum(losses) / float64(h.batch), Samples: h.batch}, err
}

// hubers makes fig:hubercomps.
func hubers(ctx context.Context, s Setting, sec *sectionBuilder) error {
	const batch = 25
	d := s.piecewise()
	d.test = d.test.first(min(100, d.test.count()))
	pairs, test := d.train, d.test
	steps := s.count(10_000, 3)
	sec.Size = fmt.Sprintf("%d steps of %d with the Huber penalty (at full effort 10,000; paper: until convergence), "+
		"%d steps of %d with l1, %d test signals (paper: 10)",
		steps, batch, s.count(signalSteps, 10), signalBatch, test.count())
	ref := tunedTV(pairs)
	t := report.Table{Caption: "Piecewise-constant signals, PSNR in dB on test signals; δ for a peak of 1",
		Head: []string{"penalty", "δ / max |y|", "start", "PSNR at the start", "PSNR learned", "paper", "difference"}}
	shown := newExample(test)
	var pictures []report.Picture
	small := solve.Identity(signalLength, 0.03)
	for _, c := range []struct {
		delta float64
		start string
		w     solve.Transform
		rate  float64 // of Adam, for the l1 norm
	}{
		// the deltas of the paper's range, and one far below it
		{0.25, "identity times 0.03", small, 1e-3},
		{0.5, "identity times 0.03", small, 1e-3},
		{0.75, "identity times 0.03", small, 1e-3},
		{0.25, "tuned TV", ref.operator, 1e-3},
		{0.03, "tuned TV", ref.operator, 1e-4},
	} {
		start := square(c.w).Scale(1 / c.delta) // with this scale the penalty of w x has the slope of the l1 norm
		phase := train.Phase{Name: "huber", Steps: steps, Optimizer: train.NewAdam(len(start.W)),
			Rate: train.DecayingRate(c.rate / c.delta),
			Objective: &huberLoss{start.K, start.N, c.delta, batch, s.Workers,
				&shuffled{noisyPairs: pairs, seed: s.Seed}}}
		w, err := cached(sec, fmt.Sprintf("%g from %s", c.delta, c.start), func() (solve.Transform, error) {
			w := start.Clone()
			return w, new(train.Trainer).Run(ctx, phase, w.W)
		})
		if err != nil {
			return err
		}
		smoothed := func(w solve.Transform) [][]float64 {
			h := onedim.NewSmooth(w, onedim.Huber(c.delta))
			return mapSignals(test.Noisy, func(x, y []float64) { h.Solve(y); copy(x, h.X) })
		}
		restored := smoothed(w)
		psnr := meanPSNR(test.Clean, restored)
		t.Add("Huber", fmt.Sprint(c.delta), c.start, number(meanPSNR(test.Clean, smoothed(start))), number(psnr),
			"22.5", signedDifference(psnr, 22.5))
		s.Log("huber: δ %g from %s: %.2f dB", c.delta, c.start, psnr)
		name := fmt.Sprintf("Huber, δ = %g, from %s", c.delta, c.start)
		matched, _ := matchRows(w, ref.operator)
		pictures = append(pictures, sec.matrix(name, matched))
		shown.add(name, restored, report.Coloured)
	}
	l1, err := learnedFor(ctx, s, sec, "l1, ", d, ref, shown, func(v variant, psnr float64) {
		t.Add("l1", "", v.name, number(meanPSNR(test.Clean, denoise(v.Start, test.Noisy, s.Workers))), number(psnr),
			"26.2", signedDifference(psnr, 26.2))
	})
	if err != nil {
		return err
	}
	sec.table(t)
	sec.figure("Learned transforms.", append(pictures, l1...)...)
	sec.figure("A test signal.", shown.draw(sec, "a test signal", 20))
	sec.say("The paper tries δ between 1/4 and 3/4 of the largest sample and finds the Huber penalty far behind. In " +
		"that range the penalty is quadratic for most coefficients, whatever W is: " +
		"its slope is at most δ |w| and it becomes linear at δ / |w|, so with the slope of a good l1 penalty it " +
		"becomes linear only at the size of the jumps themselves. With δ below the range the penalty approaches " +
		"the l1 norm " +
		"(Huber at W/δ tends to |W x| as δ goes to 0), and so does its result. So the paper measures the effect of " +
		"the range of δ, not of smoothness as such.")
	return nil
}
