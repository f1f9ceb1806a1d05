package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
	"github.com/blorc-denoise/blorc-denoise/paper/gradient"
	"github.com/blorc-denoise/blorc-denoise/paper/onedim"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// conventions shows in numbers each place where the paper contradicts itself.
func conventions(_ context.Context, s Setting, sec *sectionBuilder) error {
	sec.say("Every number here is computed. The conventions that we chose are in the package comment of train.")
	t := report.Table{Words: true, Head: []string{"where", "the paper says", "what holds", "shown by"}}
	withHalf, withoutHalf := conventionErrors(s.Seed)
	t.Add("eq:lower-level, alg:1", "||x - y||² + ||Wx||₁, and a closed form for 1/2 ||x - y||² + ||Wx||₁",
		"the closed form needs the 1/2; a W of the other convention is twice ours",
		fmt.Sprintf("distance of the closed form from the minimizer: %.1e with the 1/2, %.2f without", withHalf,
			withoutHalf))
	t.Add("start W = I, peak 1", "training starts there",
		"with the 1/2, W = I removes everything below the peak, and the little that is left is noise; "+
			"without it, I corresponds to I/2",
		fmt.Sprintf("samples of x* that are not zero: %.1f %% at I, %.1f %% at I/2",
			100*nonzeroShare(1, s.Seed), 100*nonzeroShare(0.5, s.Seed)))
	for _, sigma := range []float64{38.25, 25.5} {
		stated := map[float64]float64{38.25: 8.24, 25.5: 10.4}[sigma]
		t.Add(fmt.Sprintf("Tab:Comparedenoise, sigma %g", sigma), fmt.Sprintf("noisy images have %g dB", stated),
			"20 log10(255/sigma), which is twice that",
			fmt.Sprintf("%.2f dB; 10 log10(255/sigma) = %.2f", 20*math.Log10(255/sigma), 10*math.Log10(255/sigma)))
	}
	p := piecewiseConstant(64, 3, 6).draw(2000, 0.1, s.Seed)
	t.Add("1-D signals, peak 1, sigma 0.1", "noisy signals have 19.5 dB",
		"20 dB for the mean squared error, slightly more for the mean of PSNRs",
		fmt.Sprintf("%.2f dB over %d signals", meanPSNR(p.Clean, p.Noisy), p.count()))
	t.Add("Q(0), section:noise-levels", "the loss at W = 0 is about sigma²",
		"it is n sigma², as the norm is over all samples",
		fmt.Sprintf("2 Q(0) / sigma² = %.1f for n = 64", 2*meanLoss(p.Clean, p.Noisy)/0.01))
	t.Add("sigma = 0, section:noise-levels",
		"the finite-difference matrix minimizes Q with a loss of zero, as W = 0 does",
		"W = 0 has no loss; finite differences times c > 0 shrink every jump, and their loss only goes to 0 as c does",
		fmt.Sprintf("Q at c = 0.15, 0.015, 0.0015: %.1g, %.1g, %.1g", noiselessLoss(p, 0.15), noiselessLoss(p, 0.015),
			noiselessLoss(p, 0.0015)))
	lemma, right := blockInverse(s.Seed)
	t.Add("Lemma blockmat", "upper left block L + L⁻¹M(…)⁻¹NL⁻¹",
		"L⁻¹ + L⁻¹M(…)⁻¹NL⁻¹ (the proof uses L = I, for which both agree)",
		fmt.Sprintf("distance of P times the inverse from I: %.2g as printed, %.1g corrected", lemma, right))
	t.Add("proof, S±", "both the rows of W± and s contain the signs",
		"W± holds the rows without signs, and s holds the signs", "closedform.Solution and its tests against ADMM")
	t.Add("corollary, alg:1, proof", "the derivative of Q at x* is x* - x, 2(x* - x), (x* - x)/T",
		"Q is the mean of 1/2 ||x* - x||²; other factors belong to the learning rate",
		"gradients in the next section, compared with central differences")
	t.Add("comp_table", "O(T + n³) for unrolling",
		"O(Tn + n³), as the text says; and O(n³) only if dx*/dW is formed, which the chain rule does not need",
		"memory measured in the next section")
	t.Add("stacked transforms", "three transforms, each trained alone, are stacked without change",
		"each one already has the full strength, so the stack needs a scale",
		"the section on buildings, with and without the scale")
	sec.table(t)
	return nil
}

// conventionErrors returns the distances of the closed form from the minimizers of the objective with and without the
// 1/2.
func conventionErrors(seed uint64) (with, without float64) {
	w := finiteDifferences(32, 0.3)
	y := piecewiseConstant(32, 2, 4).draw(1, 0.1, seed).Noisy[0]
	compare := func(minimizing solve.Transform) float64 {
		sol := gradient.Exact(minimizing, y)
		return floats.Distance(closedform.Solution(w, y, sol.Pattern), sol.X, math.Inf(1))
	}
	return compare(w), compare(w.Scale(0.5)) // ||x-y||^2 + ||Wx|| = 2 (1/2 ||x-y||^2 + ||(W/2)x||)
}

// noiselessLoss returns the loss of the finite differences times c on clean signals.
func noiselessLoss(p noisyPairs, c float64) float64 {
	return meanLoss(p.Clean, mapSignals(p.Clean, func(x, y []float64) { onedim.TotalVariation(x, y, c) }))
}

// nonzeroShare returns the share of samples that are not zero in the solutions for the identity times c, over 100
// signals.
func nonzeroShare(c float64, seed uint64) float64 {
	p := piecewiseConstant(64, 3, 6).draw(100, 0.1, seed)
	count := 0
	for _, x := range denoise(solve.Identity(64, c), p.Noisy, 1) {
		for _, v := range x {
			if v != 0 {
				count++
			}
		}
	}
	return float64(count) / float64(64*p.count())
}

// blockInverse inverts a random matrix P by Lemma blockmat as it is printed and with its first term corrected. It
// returns the distances of P times these inverses from the identity, in the Frobenius norm.
func blockInverse(seed uint64) (printed, corrected float64) {
	const n = 3
	rng := rand.New(rand.NewPCG(seed, 31))
	p := mat.NewDense(2*n, 2*n, nil)
	p.Apply(func(i, j int, _ float64) float64 { return rng.NormFloat64() }, p)
	block := func(i, j int) *mat.Dense { return mat.DenseCopyOf(p.Slice(i*n, (i+1)*n, j*n, (j+1)*n)) }
	l, m, nn, o := block(0, 0), block(0, 1), block(1, 0), block(1, 1)
	var li, schur, si, a, b, c mat.Dense
	_ = li.Inverse(l)
	schur.Product(nn, &li, m)
	schur.Sub(o, &schur)
	_ = si.Inverse(&schur)
	a.Product(&li, m, &si, nn, &li)
	b.Product(&li, m, &si)
	c.Product(&si, nn, &li)
	distance := func(first *mat.Dense) float64 {
		inverse := mat.NewDense(2*n, 2*n, nil)
		inverse.Apply(func(i, j int, _ float64) float64 {
			switch {
			case i < n && j < n:
				return first.At(i, j) + a.At(i, j)
			case i < n:
				return -b.At(i, j-n)
			case j < n:
				return -c.At(i-n, j)
			}
			return si.At(i-n, j-n)
		}, inverse)
		inverse.Mul(p, inverse)
		for i := range 2 * n {
			inverse.Set(i, i, inverse.At(i, i)-1)
		}
		return mat.Norm(inverse, 2)
	}
	return distance(l), distance(&li)
}
