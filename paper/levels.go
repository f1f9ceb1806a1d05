package paper

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
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
	t := report.Table{Caption: "From I; PSNR in dB on test signals; sigma and strengths for a peak of 1", Head: []string{"sigma", "noisy", "TV, tuned", "TV strength", "from I", "minus TV", "mean |cos| with finite differences", "differences without a row",
		"mean norm of rows", "the same, TV"}}
	others := report.Table{Caption: "From other starts; PSNR in dB on test signals", Head: []string{"sigma", "TV, tuned", "from the level above", "minus TV", "from tuned TV", "minus TV"}}
	t.Rows, others.Rows = make([][]string, len(noiseLevels)), make([][]string, len(noiseLevels))
	matrices, losses := make([]report.Picture, len(noiseLevels)), make([]report.Picture, len(noiseLevels))
	var above solve.Transform
	for i := len(noiseLevels) - 1; i >= 0; i-- {
		l := levelRun{Setting: s, sh: sh, sigma: noiseLevels[i], steps: steps, pairs: s.draw(PiecewiseConstant(signalLength, fewestJumps, mostJumps), s.pairs(), noiseLevels[i])}
		l.ref = tunedTV(l.pairs.train)
		var err error
		if above, err = l.run(ctx, above); err != nil {
			return err
		}
		t.Rows[i], others.Rows[i], matrices[i], losses[i] = l.row, l.others, l.matrix, l.losses
	}
	sh.table(t)
	sh.table(others)
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

// levelRun is the work at one noise level, and what it gives.
type levelRun struct {
	Setting
	sh     *sheet
	sigma  float64
	steps  int
	pairs  split
	ref    reference
	row    []string // from I
	others []string // from other starts
	matrix report.Picture
	losses report.Picture
}

// run learns from I, from the transform of the level above where there is one, and from tuned TV. It returns the transform
// for the level below.
func (l *levelRun) run(ctx context.Context, above solve.Transform) (solve.Transform, error) {
	fromI, err := l.learn(ctx, "", solve.Identity(signalLength, 0.5), max(2e-3, 0.01*l.sigma), l.steps)
	if err != nil {
		return above, err
	}
	tv := PSNR(l.pairs.test.Clean, l.ref.apply(l.pairs.test.Noisy))
	matched, cosine := MatchRows(fromI.W, l.ref.operator)
	p := l.psnr(fromI.W)
	l.row = []string{fmt.Sprint(l.sigma), number(PSNR(l.pairs.test.Clean, l.pairs.test.Noisy)), number(tv), small(l.ref.strength), number(p), against(p, tv), number(cosine), fmt.Sprint(missingRows(fromI.W, l.ref.operator)),
		small(floats.Sum(fromI.W.RowNorms()) / float64(fromI.W.K)), small(math.Sqrt2 * l.ref.strength)}
	l.others = []string{fmt.Sprint(l.sigma), number(tv)}
	switch {
	case l.sigma > firstPassedOn:
		l.others = append(l.others, "", "")
	case l.sigma == firstPassedOn:
		above = fromI.W
		l.others = append(l.others, "", "")
	default:
		passed, err := l.learn(ctx, " from the level above", rescaled(above, l.pairs.train, l.Workers), max(1e-5, 0.005*l.sigma), max(1, l.steps/6))
		if err != nil {
			return above, err
		}
		above = passed.W
		p := l.psnr(above)
		l.others = append(l.others, number(p), against(p, tv))
	}
	fromTV, err := l.learn(ctx, " from TV", square(l.ref.operator), 1e-3*l.ref.strength, max(1, l.steps/6))
	if err != nil {
		return above, err
	}
	best := l.psnr(fromTV.W)
	l.others = append(l.others, number(best), against(best, tv))
	l.Log("levels: %s, %s", l.row, l.others)
	l.matrix = l.sh.matrix(fmt.Sprintf("σ = %g", l.sigma), matched)
	c := fromI.Curve
	l.losses = l.sh.lines(report.Axes{Title: fmt.Sprintf("σ = %g", l.sigma), X: "step", Y: "loss", LogY: true, Width: 8},
		report.Series{Name: "training", X: c.Step, Y: c.Training}, report.Series{Name: "validation", X: c.Step, Y: c.Validation})
	return above, nil
}

func (l *levelRun) psnr(w solve.Transform) float64 {
	return PSNR(l.pairs.test.Clean, Denoise(w, l.pairs.test.Noisy, l.Workers))
}

func (l *levelRun) learn(ctx context.Context, key string, start solve.Transform, rate float64, steps int) (learned, error) {
	return learn(ctx, l.sh, fmt.Sprintf("%g%s", l.sigma, key), Learning{Start: start, Adam: true, Rate: rate, Steps: steps, Batch: signalBatch, Seed: l.Seed, Workers: l.Workers, Points: 30}, l.pairs)
}
