package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/golden"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/onedim"
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

// Jumps that the standard setting has; the paper does not say how many. With 3 to 6 tuned TV is near the paper's 25.8 dB.
const fewestJumps, mostJumps = 3, 6

// literalRate is the paper's rate, 1e-4, in our convention: its gradient is summed over the batch and has g = 2 (x* - x);
// its W is twice ours, which divides the change of W by 2 and the derivative by 2.
const literalRate = 1e-4 * signalBatch * 2 / 4

// pairs is how many training pairs there are. They cost little, and too few would be learned by heart, so that only tests
// have less.
func (s Setting) pairs() int {
	if s.Effort < 1e-4 {
		return 300
	}
	return signalPairs
}

// tests is how many test signals there are; tests of this package have less.
func (s Setting) tests() int {
	if s.Effort < 1e-4 {
		return 40
	}
	return 500
}

// split is what an experiment on signals needs: pairs to train on, to choose by, and to report on.
type split struct{ train, validation, test Pairs }

// draw makes a split. Validation and test are of the same size.
func (s Setting) draw(g Generator, pairs int, sigma float64) split {
	return split{g.Draw(pairs, sigma, s.Seed), g.Draw(s.tests(), sigma, s.Seed+2000), g.Draw(s.tests(), sigma, s.Seed+1)}
}

// piecewise is the standard setting.
func (s Setting) piecewise() split {
	return s.draw(PiecewiseConstant(signalLength, fewestJumps, mostJumps), s.pairs(), signalSigma)
}

// strengthTolerance is the relative precision of tuned strengths and scales.
const strengthTolerance = 0.01

// reference is a regularizer that is not learned, with its strength tuned on the training pairs.
type reference struct {
	name     string
	operator solve.Transform // times the strength
	strength float64
	apply    func(noisy [][]float64) [][]float64
}

// tunedTV is exact total variation.
func tunedTV(train Pairs) reference {
	apply := func(noisy [][]float64, strength float64) [][]float64 {
		return each(noisy, func(x, y []float64) { onedim.TotalVariation(x, y, strength) })
	}
	best := golden.MinimizeLog(1e-4, 5, strengthTolerance, func(c float64) float64 { return meanLoss(train.Clean, apply(train.Noisy, c)) })
	return reference{"TV, tuned", FiniteDifferences(len(train.Clean[0]), best), best, func(n [][]float64) [][]float64 { return apply(n, best) }}
}

// tunedOrthonormal is soft thresholding in an orthonormal basis.
func tunedOrthonormal(name string, basis solve.Transform, train Pairs) reference {
	apply := func(noisy [][]float64, strength float64) [][]float64 {
		w := basis.Scale(strength)
		return each(noisy, func(x, y []float64) { solve.SolveOrthonormal(x, w, y) })
	}
	best := golden.MinimizeLog(1e-4, 5, strengthTolerance, func(c float64) float64 { return meanLoss(train.Clean, apply(train.Noisy, c)) })
	return reference{name, basis.Scale(best), best, func(n [][]float64) [][]float64 { return apply(n, best) }}
}

func each(noisy [][]float64, f func(x, y []float64)) [][]float64 {
	out := make([][]float64, len(noisy))
	for i, y := range noisy {
		out[i] = make([]float64, len(y))
		f(out[i], y)
	}
	return out
}

// variant is a way to run Algorithm 1.
type variant struct {
	name  string
	knows bool // it starts from the transform that it is compared with
	Learning
}

// variants are the paper's way, read in its two possible ways, and those that lead furthest.
func variants(s Setting, ref reference) []variant {
	n := ref.operator.N
	steps := s.count(signalSteps, 10)
	base := Learning{Steps: steps, Batch: signalBatch, Seed: s.Seed, Workers: s.Workers}
	with := func(name string, start solve.Transform, adam bool, rate float64) variant {
		l := base
		l.Start, l.Adam, l.Rate = start, adam, rate
		return variant{name, false, l}
	}
	own := with("tuned standard transform, Adam", square(ref.operator), true, 1e-4)
	own.knows = true
	return []variant{
		with("as written: I (I/2 here), gradient descent", solve.Identity(n, 0.5), false, literalRate),
		with("identity times 0.1, Adam", solve.Identity(n, 0.1), true, 1e-3),
		own,
	}
}

// signals is fig:lertran.
func signals(ctx context.Context, s Setting, sh *sheet) error {
	d := s.piecewise()
	sh.Size = fmt.Sprintf("%d training pairs (paper: %d), %d steps of %d (paper: %d), %d validation and as many test signals (paper: 20)",
		d.train.Len(), signalPairs, s.count(signalSteps, 10), signalBatch, signalSteps, d.test.Len())
	sh.say("Piecewise-constant signals have %d to %d jumps at random places and levels uniform in [0, 1], DCT-sparse ones 1 to 5 of the 32 lowest harmonics; the paper "+
		"gives neither. PSNR is the mean over the test signals. Of each training the transform with the least loss on the validation signals is kept.", fewestJumps, mostJumps)
	if err := transforms(ctx, s, sh, "Piecewise-constant signals", d, tunedTV(d.train), 25.8, 26.2); err != nil {
		return err
	}
	d = s.draw(Harmonics(signalLength, 5, 32), s.pairs(), signalSigma)
	return transforms(ctx, s, sh, "DCT-sparse signals", d, tunedOrthonormal("DCT, tuned", DCT1D(signalLength), d.train), math.NaN(), math.NaN())
}

// learned is the outcome of one training.
type learned struct {
	W     solve.Transform
	Curve Curve
}

// learn runs a training, or takes its outcome from an interrupted run.
func learn(ctx context.Context, sh *sheet, key string, l Learning, d split) (learned, error) {
	return kept(sh, key, func() (learned, error) {
		w, curve, err := l.Run(ctx, d.train, d.validation)
		return learned{w, curve}, err
	})
}

// transforms learns by all variants on one kind of signal.
func transforms(ctx context.Context, s Setting, sh *sheet, kind string, d split, ref reference, paperReference, paperLearned float64) error {
	t := report.Table{Caption: kind, Head: []string{"method", "PSNR", "paper", "difference", "against " + ref.name, "training loss", "test loss", "kept at step"}}
	test := d.test
	restored := ref.apply(test.Noisy)
	standard := PSNR(test.Clean, restored)
	row := func(name string, psnr, paper, trainingLoss, testLoss float64, step string) {
		told, difference := "", ""
		if !math.IsNaN(paper) {
			told, difference = fmt.Sprint(paper), against(psnr, paper)
		}
		t.Add(name, number(psnr), told, difference, against(psnr, standard), fmt.Sprintf("%.4f", trainingLoss), fmt.Sprintf("%.4f", testLoss), step)
	}
	row("noisy", PSNR(test.Clean, test.Noisy), 19.5, meanLoss(d.train.Clean, d.train.Noisy), meanLoss(test.Clean, test.Noisy), "")
	row(ref.name, standard, paperReference, meanLoss(d.train.Clean, ref.apply(d.train.Noisy)), meanLoss(test.Clean, restored), "")
	pictures := []report.Picture{sh.matrix(ref.name, square(ref.operator))}
	var best variant
	var bestW solve.Transform
	bestPSNR, knowing, unaided := math.Inf(-1), 0.0, math.Inf(-1)
	var curves []report.Series
	for _, v := range variants(s, ref) {
		r, err := learn(ctx, sh, kind+", "+v.name, v.Learning, d)
		if err != nil {
			return err
		}
		psnr := PSNR(test.Clean, Denoise(r.W, test.Noisy, s.Workers))
		row("learned: "+v.name, psnr, paperLearned, Loss(r.W, d.train, s.Workers), Loss(r.W, test, s.Workers), fmt.Sprint(r.Curve.Best()))
		s.Log("%s: %s: %.2f dB", kind, v.name, psnr)
		matched, _ := MatchRows(r.W, ref.operator)
		pictures = append(pictures, sh.matrix(v.name, matched))
		curves = append(curves, report.Series{Name: v.name, X: r.Curve.Step, Y: r.Curve.Validation})
		if psnr > bestPSNR {
			best, bestW, bestPSNR = v, r.W, psnr
		}
		if v.knows {
			knowing = psnr
		} else {
			unaided = max(unaided, psnr)
		}
	}
	sh.table(t)
	sh.say("%s: the paper finds the learned transform ahead of the tuned one. Here training that starts from that one, and keeps what is best on validation signals, is at %+.2f dB against it; "+
		"the better one of those that start from the identity is at %+.2f dB after so many steps. The start decides: see the section on what the paper leaves open.", kind, hundredths(knowing-standard), hundredths(unaided-standard))
	sh.figure(kind+": the analytic transform, and learned ones with rows in the order and with the signs that match it best.", pictures...)
	x := floats.Span(make([]float64, len(test.Clean[0])), 0, float64(len(test.Clean[0])-1))
	one := Denoise(bestW, test.Noisy[:1], 1)
	sh.figure(kind+": a test signal, and the loss on the validation signals while training runs.",
		sh.lines(report.Axes{Title: "a test signal; learned: " + best.name, X: "sample", Steps: true}, report.Series{Name: "noisy", X: x, Y: test.Noisy[0], Tone: report.Faint},
			report.Series{Name: "clean", X: x, Y: test.Clean[0], Tone: report.Dark}, report.Series{Name: ref.name, X: x, Y: restored[0]}, report.Series{Name: "learned", X: x, Y: one[0]}),
		sh.lines(report.Axes{Title: "loss 1/2 ||x* - x||² on validation signals", X: "step", Y: "loss", LogY: true}, curves...))
	return nil
}

// matrix draws a transform.
func (sh *sheet) matrix(title string, w solve.Transform) report.Picture {
	limit := floats.Norm(w.W, math.Inf(1))
	return sh.check(report.Matrix(fmt.Sprintf("%s (±%.2g)", title, limit), w.K, w.N, func(r, c int) float64 { return w.Row(r)[c] }))
}

// MatchRows puts the rows of w into the order, and gives them the signs, that match those of a reference best, and
// returns the mean absolute cosine of matched rows. Pairs are chosen greedily, the best first; rows left over come last.
func MatchRows(w, reference solve.Transform) (solve.Transform, float64) {
	type pair struct {
		row, at int
		cosine  float64
	}
	var pairs []pair
	norms, referenceNorms := w.RowNorms(), reference.RowNorms()
	for i := range w.K {
		for j := range reference.K {
			if d := norms[i] * referenceNorms[j]; d > 0 {
				pairs = append(pairs, pair{i, j, floats.Dot(w.Row(i), reference.Row(j)) / d})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(math.Abs(b.cosine), math.Abs(a.cosine)) })
	out := solve.NewTransform(w.K, w.N)
	used, filled := make([]bool, w.K), make([]bool, w.K)
	sum, count := 0.0, 0
	for _, p := range pairs {
		if used[p.row] || p.at >= w.K || filled[p.at] {
			continue
		}
		used[p.row], filled[p.at] = true, true
		floats.AddScaled(out.Row(p.at), math.Copysign(1, p.cosine), w.Row(p.row))
		sum += math.Abs(p.cosine)
		count++
	}
	free := 0
	for i := range w.K {
		if used[i] {
			continue
		}
		for filled[free] {
			free++
		}
		filled[free] = true
		copy(out.Row(free), w.Row(i))
	}
	return out, sum / float64(max(1, count))
}
