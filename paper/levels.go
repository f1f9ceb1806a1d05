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
	steps := s.count(signalSteps, 40)
	pairs := s.pairs()
	sh.Size = fmt.Sprintf("%d training pairs (paper: %d), %d steps (paper: %d), %d validation signals", pairs, signalPairs, steps, signalSteps, s.tests())
	g := PiecewiseConstant(signalLength, fewestJumps, mostJumps)
	t := report.Table{Head: []string{"sigma", "noisy", "TV, tuned", "TV strength", "learned", "learned - TV", "mean |cos| with finite differences", "mean norm of rows"}}
	var pictures []report.Picture
	var loss []report.Picture
	for _, sigma := range sigmas {
		train, test := g.Draw(pairs, sigma, s.Seed), g.Draw(s.tests(), sigma, s.Seed+1)
		start := max(0.1, sigma)
		l := Learning{Start: model.Identity(signalLength, start), Adam: true, Rate: max(1e-3, 0.01*sigma), Steps: steps, Batch: signalBatch, Seed: s.Seed, Workers: s.Workers, Points: 15}
		w, curve, err := l.Run(ctx, train, test)
		if err != nil {
			return err
		}
		ref := tunedTV(train)
		matched, cosine := MatchRows(w, ref.operator)
		learned := PSNR(test.Clean, Denoise(w, test.Noisy, s.Workers))
		tv := PSNR(test.Clean, ref.apply(test.Noisy))
		s.Log("sigma %g: %.2f dB, TV %.2f", sigma, learned, tv)
		t.Add(fmt.Sprint(sigma), number(PSNR(test.Clean, test.Noisy)), number(tv), small(ref.strength), number(learned), against(learned, tv), number(cosine), small(floats.Sum(w.RowNorms())/float64(w.K)))
		pictures = append(pictures, sh.matrix(fmt.Sprintf("σ = %g", sigma), matched))
		if sigma == 0.02 || sigma == 0.1 || sigma == 0.5 {
			loss = append(loss, sh.lines(report.Axes{Title: fmt.Sprintf("σ = %g", sigma), X: "step", Y: "1/2 ||x* - x||²", LogY: true, Width: 9},
				report.Series{Name: "training", X: curve.Step, Y: curve.Training}, report.Series{Name: "validation", X: curve.Step, Y: curve.Validation}))
		}
	}
	sh.table(t)
	sh.figure("fig:noiselevels: learned transforms, rows in the order of the finite differences that they match.", pictures...)
	sh.figure("fig:loss: losses while training runs, on as many training as validation signals.", loss...)
	sh.say("Training starts from the identity times max(0.1, sigma), with Adam at the rate max(1e-3, 0.01 sigma). In the paper all levels but 0.5 and 0.7 end near the finite differences; " +
		"the cosine column says how near each level came here (1 = the same rows). At sigma 0 and W = 0 the loss is zero as well, so nothing there forces a pattern; the least strength of TV that is tried is 1e-4. " +
		"The fewer the steps, the more the low levels keep of the identity: their best transforms are small, and training shrinks W before its rows take shape.")
	return nil
}
