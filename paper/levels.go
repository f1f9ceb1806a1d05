package paper

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// noiseLevels are those of fig:noiselevels.
var noiseLevels = []float64{0, 0.02, 0.05, 0.07, 0.1, 0.2, 0.5, 0.7}

// firstPassedOn is the level whose transform, learned from I, is passed on to the levels below, from each to the next one.
const firstPassedOn = 0.2

// levels is fig:noiselevels and fig:loss.
func levels(ctx context.Context, s Setting, sh *sheet) error {
	steps := s.count(signalSteps, 10)
	sh.Size = fmt.Sprintf("%d training pairs (paper: %d), %d steps from I (paper: %d), and a sixth of them from the level above and from tuned TV, %d validation and as many test signals", s.pairs(), signalPairs, steps, signalSteps, s.tests())
	t := report.Table{Caption: "PSNR in dB on test signals; sigma and strengths for a peak of 1", Head: []string{"sigma", "noisy", "TV, tuned", "TV strength", "from I", "minus TV", "mean |cos| with finite differences", "differences without a row",
		"mean norm of rows", "the same, TV", "from the level above", "minus TV", "from tuned TV", "minus TV"}}
	t.Rows = make([][]string, len(noiseLevels))
	matrices, losses := make([]report.Picture, len(noiseLevels)), make([]report.Picture, len(noiseLevels))
	var above model.Transform
	for i := len(noiseLevels) - 1; i >= 0; i-- {
		sigma := noiseLevels[i]
		d := s.draw(PiecewiseConstant(signalLength, fewestJumps, mostJumps), s.pairs(), sigma)
		ref := tunedTV(d.train)
		psnr := func(w model.Transform) float64 { return PSNR(d.test.Clean, Denoise(w, d.test.Noisy, s.Workers)) }
		tv := PSNR(d.test.Clean, ref.apply(d.test.Noisy))
		l := Learning{Start: model.Identity(signalLength, 0.5), Adam: true, Rate: levelRate(sigma), Steps: steps, Batch: signalBatch, Seed: s.Seed, Workers: s.Workers, Points: 30}
		r, err := learn(ctx, sh, fmt.Sprintf("%g", sigma), l, d)
		if err != nil {
			return err
		}
		matched, cosine := MatchRows(r.W, ref.operator)
		fromI := psnr(r.W)
		t.Rows[i] = []string{fmt.Sprint(sigma), number(PSNR(d.test.Clean, d.test.Noisy)), number(tv), small(ref.strength), number(fromI), against(fromI, tv), number(cosine), fmt.Sprint(missingRows(r.W, ref.operator)),
			small(floats.Sum(r.W.RowNorms()) / float64(r.W.K)), small(math.Sqrt2 * ref.strength), "", ""}
		l.Steps = max(1, steps/6)
		if sigma == firstPassedOn {
			above = r.W
		} else if sigma < firstPassedOn {
			l.Start, l.Rate = rescaled(above, d.train, s.Workers), max(1e-5, 0.005*sigma)
			passed, err := learn(ctx, sh, fmt.Sprintf("%g from the level above", sigma), l, d)
			if err != nil {
				return err
			}
			above = passed.W
			p := psnr(above)
			copy(t.Rows[i][10:], []string{number(p), against(p, tv)})
		}
		l.Start, l.Rate = square(ref.operator), 1e-3*ref.strength
		fromTV, err := learn(ctx, sh, fmt.Sprintf("%g from TV", sigma), l, d)
		if err != nil {
			return err
		}
		best := psnr(fromTV.W)
		t.Rows[i] = append(t.Rows[i], number(best), against(best, tv))
		s.Log("sigma %g: %.2f dB, from the level above %s, from TV %.2f, TV %.2f", sigma, fromI, t.Rows[i][10], best, tv)
		matrices[i] = sh.matrix(fmt.Sprintf("σ = %g", sigma), matched)
		c := r.Curve
		losses[i] = sh.lines(report.Axes{Title: fmt.Sprintf("σ = %g", sigma), X: "step", Y: "loss", LogY: true, Width: 8},
			report.Series{Name: "training", X: c.Step, Y: c.Training}, report.Series{Name: "validation", X: c.Step, Y: c.Validation})
	}
	sh.table(t)
	sh.figure("fig:noiselevels: transforms learned from I, rows in the order of the finite differences that they match.", matrices...)
	sh.figure("fig:loss: losses 1/2 ||x* - x||² while training from I runs, on as many training as validation signals.", losses...)
	sh.say("Training starts from I, as in the paper (I/2 here), but with Adam at the rate max(2e-3, 0.01 sigma). In the paper all levels but 0.5 and 0.7 end near the finite differences; " +
		"the cosine column says how near each level came here (1 = the same rows), and the next one for how many differences there is no row with a cosine of 0.9 and a third of the norm of tuned TV. " +
		"At sigma 0 the noisy signal is the clean one, its PSNR is infinite, and W = 0 has no loss, so that nothing asks for a pattern there but the way from I to 0, on which differences take least away; " +
		"the least strength of TV that is tried is 1e-4.")
	sh.say("At low levels the best transforms are small, as the norms say, and training from I has to shrink W while its rows take shape: the curves show that it is still on its way, with a PSNR below that of TV. "+
		"Two other starts separate the way from the goal: the transform of the next higher level, beginning with that learned from I at sigma %g, times the best scale, so that nothing of TV is known; and tuned TV itself with a row of zeros.", firstPassedOn)
	return nil
}

// levelRate is the learning rate from I.
func levelRate(sigma float64) float64 { return max(2e-3, 0.01*sigma) }
