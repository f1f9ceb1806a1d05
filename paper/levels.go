package paper

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// levels is fig:noiselevels and fig:loss.
func levels(ctx context.Context, s Setting, sh *sheet) error {
	sigmas := []float64{0, 0.02, 0.05, 0.07, 0.1, 0.2, 0.5, 0.7}
	steps := s.count(signalSteps, 10)
	sh.Size = fmt.Sprintf("%d training pairs (paper: %d), %d steps from the identity (paper: %d) and a sixth of them from tuned TV, %d validation and as many test signals", s.pairs(), signalPairs, steps, signalSteps, s.tests())
	g := PiecewiseConstant(signalLength, fewestJumps, mostJumps)
	t := report.Table{Head: []string{"sigma", "noisy", "TV, tuned", "TV strength", "from the identity", "minus TV", "from tuned TV", "minus TV", "mean |cos| with finite differences", "mean norm of rows"}}
	var matrices, losses []report.Picture
	for _, sigma := range sigmas {
		d := s.draw(g, s.pairs(), sigma)
		ref := tunedTV(d.train)
		l := Learning{Start: model.Identity(signalLength, levelStart(sigma)), Adam: true, Rate: levelRate(sigma), Steps: steps, Batch: signalBatch, Seed: s.Seed, Workers: s.Workers, Points: 15}
		r, err := learn(ctx, sh, fmt.Sprintf("%g", sigma), l, d)
		if err != nil {
			return err
		}
		l.Start, l.Rate, l.Steps = square(ref.operator), 1e-3*ref.strength, max(1, steps/6)
		fromTV, err := learn(ctx, sh, fmt.Sprintf("%g from TV", sigma), l, d)
		if err != nil {
			return err
		}
		psnr := func(w model.Transform) float64 { return PSNR(d.test.Clean, Denoise(w, d.test.Noisy, s.Workers)) }
		matched, cosine := MatchRows(r.W, ref.operator)
		tv, identity, best := PSNR(d.test.Clean, ref.apply(d.test.Noisy)), psnr(r.W), psnr(fromTV.W)
		s.Log("sigma %g: %.2f dB, from TV %.2f, TV %.2f", sigma, identity, best, tv)
		t.Add(fmt.Sprint(sigma), number(PSNR(d.test.Clean, d.test.Noisy)), number(tv), small(ref.strength), number(identity), against(identity, tv), number(best), against(best, tv),
			number(cosine), small(floats.Sum(r.W.RowNorms())/float64(r.W.K)))
		matrices = append(matrices, sh.matrix(fmt.Sprintf("σ = %g", sigma), matched))
		c := r.Curve
		losses = append(losses, sh.lines(report.Axes{Title: fmt.Sprintf("σ = %g", sigma), X: "step", Y: "1/2 ||x* - x||²", LogY: true, Width: 7},
			report.Series{Name: "training", X: c.Step, Y: c.Training}, report.Series{Name: "validation", X: c.Step, Y: c.Validation}))
	}
	sh.table(t)
	sh.figure("fig:noiselevels: transforms learned from the identity, rows in the order of the finite differences that they match.", matrices...)
	sh.figure("fig:loss: losses while training from the identity runs, on as many training as validation signals.", losses...)
	sh.say("Training starts from the identity times max(0.1, sigma), with Adam at the rate max(1e-3, 0.01 sigma), and from tuned TV with a row of zeros. In the paper all levels but 0.5 and 0.7 end near the finite differences; " +
		"the cosine column says how near each level came here from the identity (1 = the same rows). At sigma 0 the noisy signal is the clean one, its PSNR is infinite, and W = 0 has no loss, so nothing there forces a pattern: " +
		"the least strength of TV that is tried is 1e-4, and learning shrinks W. " +
		"At low levels the best transforms are small, as the norms say, and training from the identity has to shrink W while its rows take shape.")
	return nil
}

// levelStart and levelRate are the scale of the identity that training starts from, and its rate.
func levelStart(sigma float64) float64 { return max(0.1, sigma) }
func levelRate(sigma float64) float64  { return max(1e-3, 0.01*sigma) }
