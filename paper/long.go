package paper

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// long runs alg:1 as it is written, on the standard signals, with more steps than the section on signals.
func long(ctx context.Context, s Setting, sec *sectionBuilder) error {
	steps := s.count(signalSteps, 10)
	d := s.piecewise()
	ref := tunedTV(d.train)
	sec.Size = fmt.Sprintf("%d steps of %d (paper: %d), %d training pairs (paper: %d), %d validation and as many "+
		"test signals", steps, signalBatch, signalSteps, d.train.count(), signalPairs, d.test.count())
	const name = "as written: I (I/2 here), gradient descent"
	l := s.learning(solve.Identity(signalLength, 0.5), false, literalRate)
	l.Points = 40
	r, err := learn(ctx, sec, name, l, d)
	if err != nil {
		return err
	}
	restored := ref.apply(d.test.Noisy)
	tv, psnr := meanPSNR(d.test.Clean, restored), meanPSNR(d.test.Clean, denoise(r.W, d.test.Noisy, s.Workers))
	matched, cosine := matchRows(r.W, ref.operator)
	loss := func(v float64) string { return fmt.Sprintf("%.4f", v) }
	t := report.Table{Caption: "Piecewise-constant signals; PSNR in dB on test signals",
		Head: []string{"method", "PSNR", "paper", "difference", "mean |cos| with finite differences",
			"differences without a row", "training loss", "test loss"}}
	t.Add("TV, tuned", number(tv), "25.8", signedDifference(tv, 25.8), "1.00", "0",
		loss(meanLoss(d.train.Clean, ref.apply(d.train.Noisy))), loss(meanLoss(d.test.Clean, restored)))
	t.Add(name, number(psnr), "26.2", signedDifference(psnr, 26.2), number(cosine),
		fmt.Sprint(missingRows(r.W, ref.operator)), loss(lossOf(r.W, d.train, s.Workers)),
		loss(lossOf(r.W, d.test, s.Workers)))
	sec.table(t)
	flat := report.Series{Name: "TV, tuned, on validation", X: r.Curve.Step, Y: make([]float64, len(r.Curve.Step)),
		Tone: report.Dark}
	for i := range flat.Y {
		flat.Y[i] = meanLoss(d.validation.Clean, ref.apply(d.validation.Noisy))
	}
	sec.figure("The learned transform, with its rows matched to the finite differences, and the losses during "+
		"training.", sec.matrix("TV, tuned", square(ref.operator)), sec.matrix(name, matched),
		sec.lines(lossAxes("loss 1/2 ||x* - x||²"), append(r.Curve.series(), flat)...))
	sec.say("Gradient descent with the paper's constant rate, converted to our convention, ends %+.2f dB from tuned "+
		"TV; the paper reports %+.1f dB. In the last quarter of the steps the loss on validation signals goes from "+
		"%.4f to %.4f; the loss of TV is %.4f. "+
		"Adam makes the same progress in fewer steps: see the sections on signals and on what the paper leaves open.",
		noMinusZero(psnr-tv), paperGain, valueAt(r.Curve.Validation, 0.75), valueAt(r.Curve.Validation, 1),
		flat.Y[0])
	return nil
}

// valueAt returns the value of a curve after the given share of its points.
func valueAt(curve []float64, share float64) float64 { return curve[int(share*float64(len(curve)-1))] }
