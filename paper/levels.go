package paper

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// noiseLevels holds the noise levels of fig:noiselevels for a peak of 1.
var noiseLevels = []float64{0, 0.02, 0.05, 0.07, 0.1, 0.2, 0.5, 0.7}

// firstPassedOn is the noise level at which the chain of starts begins: the transform learned there from I is the start
// for the next lower level, the result of that for the next one, and so on.
const firstPassedOn = 0.2

// levels makes fig:noiselevels and fig:loss.
func levels(ctx context.Context, s Setting, sec *sectionBuilder) error {
	steps := s.count(signalSteps, 10)
	sec.Size = fmt.Sprintf("%d training pairs (paper: %d), %d steps from I (paper: %d), and a sixth of them from the "+
		"level above and from tuned TV, %d validation and as many test signals", s.pairs(), signalPairs, steps,
		signalSteps, s.tests())
	t := report.Table{Caption: "From I; PSNR in dB on test signals; sigma and strengths for a peak of 1",
		Head: []string{"sigma", "noisy", "TV, tuned", "TV strength", "from I", "minus TV",
			"mean |cos| with finite differences", "differences without a row",
			"mean norm of rows", "the same, TV"}}
	others := report.Table{Caption: "From other starts; PSNR in dB on test signals",
		Head: []string{"sigma", "TV, tuned", "from the level above", "minus TV", "from tuned TV", "minus TV"}}
	t.Rows, others.Rows = make([][]string, len(noiseLevels)), make([][]string, len(noiseLevels))
	matrices, losses := make([]report.Picture, len(noiseLevels)), make([]report.Picture, len(noiseLevels))
	var above solve.Transform
	for i := len(noiseLevels) - 1; i >= 0; i-- {
		l := levelRun{Setting: s, sec: sec, sigma: noiseLevels[i], steps: steps,
			pairs: s.draw(piecewiseConstant(signalLength, fewestJumps, maxJumps), s.pairs(), noiseLevels[i])}
		l.ref = tunedTV(l.pairs.train)
		var err error
		if above, err = l.run(ctx, above); err != nil {
			return err
		}
		t.Rows[i], others.Rows[i], matrices[i], losses[i] = l.row, l.others, l.matrix, l.losses
	}
	sec.table(t)
	sec.table(others)
	sec.figure("fig:noiselevels: transforms learned from I, with their rows in the order of the finite differences "+
		"that they match.", matrices...)
	sec.figure("fig:loss: losses 1/2 ||x* - x||² during training from I, on equal numbers of training and validation "+
		"signals.", losses...)
	sec.say("Training starts from I, as in the paper (I/2 here), but uses Adam at the rate max(2e-3, 0.01 sigma). In " +
		"the paper all levels except 0.5 and 0.7 end near the finite differences. " +
		"The cosine column says how near each level came here (1 = the same rows). The column after it counts the " +
		"differences for which there is no row with a cosine of 0.9 and a third of the norm of tuned TV. " +
		"At sigma 0 the noisy signal equals the clean one, its PSNR is infinite, and W = 0 has no loss. No pattern " +
		"is better than another there, except on the way from I to 0, where differences remove the least from " +
		"the signal. " +
		"The smallest strength of TV that is tried is 1e-4.")
	sec.say("At low levels the best transforms are small, as their norms show, and training from I has to shrink W "+
		"while its rows take shape. The curves show that it has not finished, and its PSNR is below that of TV. "+
		"Two other starts show whether the goal or the way to it is the problem. One is the transform of the next "+
		"higher level times the best scale, a chain that begins with the transform learned from I at sigma %g; "+
		"it uses no knowledge of TV. The other is tuned TV itself with a row of zeros.", firstPassedOn)
	return nil
}

// levelRun holds the work at one noise level and its results.
type levelRun struct {
	Setting
	sec    *sectionBuilder
	sigma  float64
	steps  int
	pairs  split
	ref    reference
	row    []string // of the table of starts from I
	others []string // row of the table of other starts
	matrix report.Picture
	losses report.Picture
}

// run learns from I, from the transform of the next higher level if there is one, and from tuned TV. It returns the
// transform that is the start for the next lower level.
func (l *levelRun) run(ctx context.Context, above solve.Transform) (solve.Transform, error) {
	fromI, err := l.learn(ctx, "", solve.Identity(signalLength, 0.5), max(2e-3, 0.01*l.sigma), l.steps)
	if err != nil {
		return above, err
	}
	tv := meanPSNR(l.pairs.test.Clean, l.ref.apply(l.pairs.test.Noisy))
	matched, cosine := matchRows(fromI.W, l.ref.operator)
	p := l.psnr(fromI.W)
	l.row = []string{fmt.Sprint(l.sigma), number(meanPSNR(l.pairs.test.Clean, l.pairs.test.Noisy)), number(tv),
		twoDigits(l.ref.strength), number(p), signedDifference(p, tv), number(cosine),
		fmt.Sprint(missingRows(fromI.W, l.ref.operator)),
		twoDigits(floats.Sum(fromI.W.RowNorms()) / float64(fromI.W.K)), twoDigits(math.Sqrt2 * l.ref.strength)}
	l.others = []string{fmt.Sprint(l.sigma), number(tv)}
	if l.sigma == firstPassedOn {
		above = fromI.W
	}
	if l.sigma >= firstPassedOn {
		l.others = append(l.others, "", "")
	} else {
		passed, err := l.learn(ctx, " from the level above", rescaled(above, l.pairs.train, l.Workers),
			max(1e-5, 0.005*l.sigma), max(1, l.steps/6))
		if err != nil {
			return above, err
		}
		above = passed.W
		p := l.psnr(above)
		l.others = append(l.others, number(p), signedDifference(p, tv))
	}
	fromTV, err := l.learn(ctx, " from TV", square(l.ref.operator), 1e-3*l.ref.strength, max(1, l.steps/6))
	if err != nil {
		return above, err
	}
	best := l.psnr(fromTV.W)
	l.others = append(l.others, number(best), signedDifference(best, tv))
	l.Log("levels: %s, %s", l.row, l.others)
	l.matrix = l.sec.matrix(fmt.Sprintf("σ = %g", l.sigma), matched)
	axes := lossAxes(fmt.Sprintf("σ = %g", l.sigma))
	axes.Width = 8
	l.losses = l.sec.lines(axes, fromI.Curve.series()...)
	return above, nil
}

// psnr returns the PSNR of a transform on the test signals in dB.
func (l *levelRun) psnr(w solve.Transform) float64 {
	return meanPSNR(l.pairs.test.Clean, denoise(w, l.pairs.test.Noisy, l.Workers))
}

// learn trains with Adam. The key tells the trainings at one noise level apart.
func (l *levelRun) learn(ctx context.Context, key string, start solve.Transform, rate float64, steps int) (outcome,
	error) {
	return learn(ctx, l.sec, fmt.Sprintf("%g%s", l.sigma, key),
		learning{Start: start, Adam: true, Rate: rate, Steps: steps, Batch: signalBatch, Seed: l.Seed,
			Workers: l.Workers, Points: 30}, l.pairs)
}
