package paper

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// The paper's one-dimensional experiment.
const (
	signalLength = 64
	signalSigma  = 0.1
	signalPairs  = 4000
	signalBatch  = 100
	signalSteps  = 750 * signalPairs / signalBatch
)

// Numbers of jumps of the standard signals. The paper does not give them. With 3 to 6 jumps the PSNR of tuned TV is
// near the paper's 25.8 dB.
const fewestJumps, maxJumps = 3, 6

// literalRate is the paper's learning rate, 1e-4, in our convention. The paper's gradient is summed over the batch and
// has the factor 2 (x* - x). Its W is twice ours, which halves the change of W and the derivative.
const literalRate = 1e-4 * signalBatch * 2 / 4

// pairs returns the number of training pairs. Pairs take little time and too few lead to overfitting, so only tests of
// this package use fewer.
func (s Setting) pairs() int { return inTests(s, 300, signalPairs) }

// tests returns the number of test signals.
func (s Setting) tests() int { return inTests(s, 40, 500) }

// inTests returns few for the effort of tests of this package, else the usual value.
func inTests[T any](s Setting, few, usual T) T {
	if s.Effort < 1e-4 {
		return few
	}
	return usual
}

// split holds the pairs of an experiment on signals: for training, for choosing the best transform, and for the
// results.
type split struct{ train, validation, test noisyPairs }

// draw returns a split with the given number of training pairs and noise level. Validation and test have the same size.
func (s Setting) draw(g generator, pairs int, sigma float64) split {
	return split{g.draw(pairs, sigma, s.Seed), g.draw(s.tests(), sigma, s.Seed+2000),
		g.draw(s.tests(), sigma, s.Seed+1)}
}

// piecewise returns the standard signals.
func (s Setting) piecewise() split {
	return s.draw(piecewiseConstant(signalLength, fewestJumps, maxJumps), s.pairs(), signalSigma)
}

// variant is a way to run Algorithm 1.
type variant struct {
	name          string
	fromReference bool // the start is the transform that the result is compared with
	learning
}

// learning returns a training of the paper's length, with its batches.
func (s Setting) learning(start solve.Transform, adam bool, rate float64) learning {
	return learning{Start: start, Adam: adam, Rate: rate, Steps: s.count(signalSteps, 10), Batch: signalBatch,
		Seed: s.Seed, Workers: s.Workers}
}

// variants returns the paper's way first, then the two that reach the best results.
func variants(s Setting, ref reference) []variant {
	n := ref.operator.N
	return []variant{
		{"as written: I (I/2 here), gradient descent", false, s.learning(solve.Identity(n, 0.5), false, literalRate)},
		{"identity times 0.1, Adam", false, s.learning(solve.Identity(n, 0.1), true, 1e-3)},
		{"tuned standard transform, Adam", true, s.learning(square(ref.operator), true, 1e-4)},
	}
}

// signals makes fig:lertran.
func signals(ctx context.Context, s Setting, sec *sectionBuilder) error {
	d := s.piecewise()
	sec.Size = fmt.Sprintf("%d training pairs (paper: %d), %d steps of %d (paper: %d), %d validation and as many "+
		"test signals (paper: 20)",
		d.train.count(), signalPairs, s.count(signalSteps, 10), signalBatch, signalSteps, d.test.count())
	sec.say("Piecewise-constant signals have %d to %d jumps at random places and levels uniform in [0, 1]. "+
		"DCT-sparse signals are sums of 1 to 5 of the 32 lowest harmonics. The paper "+
		"gives none of these numbers. PSNR is the mean over the test signals. Each training keeps the transform with "+
		"the least loss on the validation signals.", fewestJumps, maxJumps)
	if err := transforms(ctx, s, sec, "Piecewise-constant signals", d, tunedTV(d.train), 25.8, 26.2); err != nil {
		return err
	}
	d = s.draw(harmonics(signalLength, 5, 32), s.pairs(), signalSigma)
	return transforms(ctx, s, sec, "DCT-sparse signals", d, tunedOrthonormal("DCT, tuned", dct1D(signalLength),
		d.train), math.NaN(), math.NaN())
}

// outcome is the result of one training.
type outcome struct {
	W     solve.Transform
	Curve lossCurve
}

// learn runs a training, or returns its outcome from an interrupted run.
func learn(ctx context.Context, sec *sectionBuilder, key string, l learning, d split) (outcome, error) {
	return cached(sec, key, func() (outcome, error) {
		w, curve, err := l.run(ctx, d.train, d.validation)
		return outcome{w, curve}, err
	})
}

// transforms trains all variants on one kind of signal and compares them with a reference. The last two arguments are
// the paper's PSNR of the reference and of the learned transform in dB, or NaN.
func transforms(ctx context.Context, s Setting, sec *sectionBuilder, kind string, d split, ref reference,
	paperReference, paperLearned float64) error {
	t := report.Table{Caption: kind, Head: []string{"method", "PSNR", "paper", "difference", "against " + ref.name,
		"training loss", "test loss", "kept at step"}}
	test := d.test
	restored := ref.apply(test.Noisy)
	standard := meanPSNR(test.Clean, restored)
	row := func(name string, psnr, paper, trainingLoss, testLoss float64, step string) {
		stated, difference := "", ""
		if !math.IsNaN(paper) {
			stated, difference = fmt.Sprint(paper), signedDifference(psnr, paper)
		}
		t.Add(name, number(psnr), stated, difference, signedDifference(psnr, standard),
			fmt.Sprintf("%.4f", trainingLoss), fmt.Sprintf("%.4f", testLoss), step)
	}
	row("noisy", meanPSNR(test.Clean, test.Noisy), 19.5, meanLoss(d.train.Clean, d.train.Noisy),
		meanLoss(test.Clean, test.Noisy), "")
	row(ref.name, standard, paperReference, meanLoss(d.train.Clean, ref.apply(d.train.Noisy)),
		meanLoss(test.Clean, restored), "")
	pictures := []report.Picture{sec.matrix(ref.name, square(ref.operator))}
	var best variant
	var bestW solve.Transform
	bestPSNR, knowing, unaided := math.Inf(-1), 0.0, math.Inf(-1)
	var curves []report.Series
	for _, v := range variants(s, ref) {
		r, err := learn(ctx, sec, kind+", "+v.name, v.learning, d)
		if err != nil {
			return err
		}
		psnr := meanPSNR(test.Clean, denoise(r.W, test.Noisy, s.Workers))
		row("learned: "+v.name, psnr, paperLearned, lossOf(r.W, d.train, s.Workers), lossOf(r.W, test, s.Workers),
			fmt.Sprint(r.Curve.best()))
		s.Log("%s: %s: %.2f dB", kind, v.name, psnr)
		matched, _ := matchRows(r.W, ref.operator)
		pictures = append(pictures, sec.matrix(v.name, matched))
		curves = append(curves, report.Series{Name: v.name, X: r.Curve.Step, Y: r.Curve.Validation})
		if psnr > bestPSNR {
			best, bestW, bestPSNR = v, r.W, psnr
		}
		if v.fromReference {
			knowing = psnr
		} else {
			unaided = max(unaided, psnr)
		}
	}
	sec.table(t)
	sec.say("%s: in the paper the learned transform is better than the tuned one. Here training that starts from the "+
		"tuned transform, and keeps the best result on validation signals, ends %+.2f dB from it. "+
		"The better of the two that start from the identity is at %+.2f dB after this number of steps. The start "+
		"decides the result: see the section on what the paper leaves open.", kind, noMinusZero(knowing-standard),
		noMinusZero(unaided-standard))
	sec.figure(kind+": the analytic transform, and the learned ones with rows in the order and with the signs that "+
		"match it best.", pictures...)
	shown := newExample(test)
	shown.add(ref.name, restored, report.Coloured)
	shown.add("learned", denoise(bestW, test.Noisy[:1], 1), report.Coloured)
	sec.figure(kind+": a test signal, and the loss on the validation signals during training.",
		shown.draw(sec, "a test signal; learned: "+best.name, 0),
		sec.lines(lossAxes("loss 1/2 ||x* - x||² on validation signals"), curves...))
	return nil
}

// lossAxes are those of the losses during a training.
func lossAxes(title string) report.Axes {
	return report.Axes{Title: title, X: "step", Y: "loss", LogY: true}
}

// series returns the curves for a figure.
func (c lossCurve) series() []report.Series {
	return []report.Series{{Name: "training", X: c.Step, Y: c.Training},
		{Name: "validation", X: c.Step, Y: c.Validation}}
}

// example is a figure of the first test signal, with what methods make of it.
type example []report.Series

// newExample returns the signal with noise and without.
func newExample(test noisyPairs) *example {
	e := new(example)
	e.add("noisy", test.Noisy, report.Faint)
	e.add("clean", test.Clean, report.Dark)
	return e
}

// add adds the first signal of a list.
func (e *example) add(name string, signals [][]float64, tone report.Tone) {
	y := signals[0]
	x := floats.Span(make([]float64, len(y)), 0, float64(len(y)-1))
	*e = append(*e, report.Series{Name: name, X: x, Y: y, Tone: tone})
}

// draw draws the figure.
func (e *example) draw(sec *sectionBuilder, title string, width float64) report.Picture {
	return sec.lines(report.Axes{Title: title, X: "sample", Steps: true, Width: width}, *e...)
}

// learnedFor trains the variants that start near the best results, for a section that compares other methods with them.
// It adds each to a table, by row, and to the example, and returns pictures of the transforms.
func learnedFor(ctx context.Context, s Setting, sec *sectionBuilder, prefix string, d split, ref reference,
	shown *example, row func(v variant, psnr float64)) (pictures []report.Picture, err error) {
	for _, v := range variants(s, ref)[1:] {
		r, err := learn(ctx, sec, prefix+v.name, v.learning, d)
		if err != nil {
			return nil, err
		}
		restored := denoise(r.W, d.test.Noisy, s.Workers)
		row(v, meanPSNR(d.test.Clean, restored))
		matched, _ := matchRows(r.W, ref.operator)
		pictures = append(pictures, sec.matrix(prefix+v.name, matched))
		shown.add(prefix+v.name, restored, report.Coloured)
	}
	return pictures, nil
}

// matrix draws a transform. The title gets the largest absolute element, which has the full colour.
func (sec *sectionBuilder) matrix(title string, w solve.Transform) report.Picture {
	limit := floats.Norm(w.W, math.Inf(1))
	return sec.check(report.Matrix(fmt.Sprintf("%s (±%.2g)", title, limit), w.K, w.N,
		func(r, c int) float64 { return w.Row(r)[c] }))
}
