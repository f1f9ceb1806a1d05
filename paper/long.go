package paper

import (
	"context"
	"fmt"

	"github.com/blorc-denoise/blorc-denoise/model"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// long trains on the standard signals with as many steps as the paper, as it is written there and in the better of the ways
// from the identity that the section on signals has.
func long(ctx context.Context, s Setting, sh *sheet) error {
	const more = 5 // times as many pairs as the paper, so that few are seen often
	steps := s.count(signalSteps, 10)
	d := s.draw(PiecewiseConstant(signalLength, fewestJumps, mostJumps), more*s.pairs(), signalSigma)
	ref := tunedTV(d.train)
	sh.Size = fmt.Sprintf("%d steps of %d (paper: %d) of each training, %d training pairs (paper: %d) for Adam, so that few are seen often", steps, signalBatch, signalSteps, d.train.Len(), signalPairs)
	t := report.Table{Caption: fmt.Sprintf("Piecewise-constant signals; PSNR in dB on %d test signals", d.test.Len()), Head: []string{"method", "PSNR", "paper", "difference", "mean |cos| with finite differences", "training loss", "test loss"}}
	loss := func(v float64) string { return fmt.Sprintf("%.4f", v) }
	restored := ref.apply(d.test.Noisy)
	tv := PSNR(d.test.Clean, restored)
	t.Add("TV, tuned", number(tv), "25.8", against(tv, 25.8), "1.00", loss(meanLoss(d.train.Clean, ref.apply(d.train.Noisy))), loss(meanLoss(d.test.Clean, restored)))
	pictures := []report.Picture{sh.matrix("TV, tuned", square(ref.operator))}
	var curves []report.Picture
	for _, c := range []struct {
		name  string
		pairs int
		Learning
	}{
		{"as written: I (I/2 here), gradient descent", s.pairs(), Learning{Start: model.Identity(signalLength, 0.5), Rate: literalRate}},
		{"identity times 0.1, Adam", d.train.Len(), Learning{Start: model.Identity(signalLength, 0.1), Adam: true, Rate: 1e-3}},
	} {
		c.Steps, c.Batch, c.Seed, c.Workers, c.Points = steps, signalBatch, s.Seed, s.Workers, 40
		pairs := d
		pairs.train = d.train.First(c.pairs)
		r, err := learn(ctx, sh, c.name, c.Learning, pairs)
		if err != nil {
			return err
		}
		psnr := PSNR(d.test.Clean, Denoise(r.W, d.test.Noisy, s.Workers))
		matched, cosine := MatchRows(r.W, ref.operator)
		t.Add(c.name, number(psnr), "26.2", against(psnr, 26.2), number(cosine), loss(Loss(r.W, pairs.train, s.Workers)), loss(Loss(r.W, d.test, s.Workers)))
		s.Log("long: %s: %.2f dB", c.name, psnr)
		pictures = append(pictures, sh.matrix(c.name, matched))
		flat := report.Series{Name: "TV, tuned, on validation", X: r.Curve.Step, Y: make([]float64, len(r.Curve.Step)), Tone: report.Dark}
		for i := range flat.Y {
			flat.Y[i] = meanLoss(d.validation.Clean, ref.apply(d.validation.Noisy))
		}
		curves = append(curves, sh.lines(report.Axes{Title: c.name, X: "step", Y: "loss 1/2 ||x* - x||²", LogY: true},
			report.Series{Name: "training", X: r.Curve.Step, Y: r.Curve.Training}, report.Series{Name: "validation", X: r.Curve.Step, Y: r.Curve.Validation}, flat))
		sh.say("%s: %+.2f dB against tuned TV, where the paper has %+.1f dB. The last quarter of the steps changes the loss on validation signals from %.4f to %.4f; that of TV is %.4f.",
			c.name, hundredths(psnr-tv), paperGain, at(r.Curve.Validation, 0.75), at(r.Curve.Validation, 1), flat.Y[0])
	}
	sh.table(t)
	sh.figure("Learned transforms, rows matched to the finite differences.", pictures...)
	sh.figure("The losses while training runs.", curves...)
	return nil
}

// at is the value of a curve after a share of its points.
func at(curve []float64, share float64) float64 { return curve[int(share*float64(len(curve)-1))] }
