package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/onedim"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// conventions puts a number to each place where the paper says two things.
func conventions(_ context.Context, s Setting, sh *sheet) error {
	sh.say("Every number here is computed. The choices are those of the package comment of model/train.")
	t := report.Table{Words: true, Head: []string{"where", "the paper says", "what holds", "shown by"}}
	withHalf, withoutHalf := halfMatters(s.Seed)
	t.Add("eq:lower-level, alg:1", "||x - y||² + ||Wx||₁, and a closed form for 1/2 ||x - y||² + ||Wx||₁",
		"the closed form needs the 1/2; a W of the other convention is twice ours",
		fmt.Sprintf("closed form minus minimizer: %.1e with the 1/2, %.2f without", withHalf, withoutHalf))
	t.Add("start W = I, peak 1", "training starts there", "with the 1/2, I takes away everything below the peak, and what little is left is noise; "+
		"without it, I stands for I/2", fmt.Sprintf("samples of x* that are not zero: %.1f %% at I, %.1f %% at I/2", 100*nonzeroAt(1, s.Seed), 100*nonzeroAt(0.5, s.Seed)))
	for _, sigma := range []float64{38.25, 25.5} {
		told := map[float64]float64{38.25: 8.24, 25.5: 10.4}[sigma]
		t.Add(fmt.Sprintf("Tab:Comparedenoise, sigma %g", sigma), fmt.Sprintf("noisy images have %g dB", told), "20 log10(255/sigma), twice that",
			fmt.Sprintf("%.2f dB; 10 log10(255/sigma) = %.2f", 20*math.Log10(255/sigma), 10*math.Log10(255/sigma)))
	}
	p := PiecewiseConstant(64, 3, 6).Draw(2000, 0.1, s.Seed)
	t.Add("1-D signals, peak 1, sigma 0.1", "noisy signals have 19.5 dB", "20 dB for the mean squared error, slightly more for the mean of PSNRs",
		fmt.Sprintf("%.2f dB over %d signals", PSNR(p.Clean, p.Noisy), p.Len()))
	t.Add("Q(0), section:noise-levels", "the loss at W = 0 is about sigma²", "it is n sigma², as the norm is over all samples",
		fmt.Sprintf("2 Q(0) / sigma² = %.1f for n = 64", 2*meanLoss(p.Clean, p.Noisy)/0.01))
	t.Add("sigma = 0, section:noise-levels", "the finite-difference matrix is a minimizer of Q, with the loss zero, as W = 0 is", "W = 0 has no loss; finite differences times c > 0 shrink every jump, and have none only as c goes to 0",
		fmt.Sprintf("Q at c = 0.15, 0.015, 0.0015: %.1g, %.1g, %.1g", noiselessLoss(p, 0.15), noiselessLoss(p, 0.015), noiselessLoss(p, 0.0015)))
	lemma, right := blockInverse(s.Seed)
	t.Add("Lemma blockmat", "upper left block L + L⁻¹M(…)⁻¹NL⁻¹", "L⁻¹ + L⁻¹M(…)⁻¹NL⁻¹ (the proof uses L = I, where both agree)",
		fmt.Sprintf("distance of P times the inverse from I: %.2g as printed, %.1g corrected", lemma, right))
	t.Add("proof, S±", "rows of W± carry the signs, and s does too", "W± holds plain rows and s the signs", "bilevel.ClosedForm, and its tests against ADMM")
	t.Add("corollary, alg:1, proof", "the derivative of Q at x* is x* - x, 2(x* - x), (x* - x)/T", "Q is the mean of 1/2 ||x* - x||²; other factors belong to the learning rate",
		"gradients below, against central differences")
	t.Add("comp_table", "O(T + n³) for unrolling", "O(Tn + n³), as the text has it; and O(n³) only if dx*/dW is formed, which the chain rule does not need", "memory measured below")
	t.Add("stacked transforms", "three transforms, each trained alone, are stacked as they are", "each one carries the full strength already, so the stack needs a scale",
		"the section on buildings, with and without it")
	sh.table(t)
	return nil
}

// halfMatters compares the closed form with the minimizer of the objective with and without the 1/2.
func halfMatters(seed uint64) (with, without float64) {
	w := FiniteDifferences(32, 0.3)
	y := PiecewiseConstant(32, 2, 4).Draw(1, 0.1, seed).Noisy[0]
	compare := func(minimizing solve.Transform) float64 {
		solver := bilevel.NewSolver(minimizing)
		var d float64
		solver.Solve(solver.NewWorkspace(), y, func(_ int, sol *bilevel.Solution) {
			d = floats.Distance(bilevel.ClosedForm(w, y, sol.Pattern), sol.X, math.Inf(1))
		})
		return d
	}
	return compare(w), compare(w.Scale(0.5)) // ||x-y||^2 + ||Wx|| = 2 (1/2 ||x-y||^2 + ||(W/2)x||)
}

// noiselessLoss is that of the finite differences times c on clean signals.
func noiselessLoss(p Pairs, c float64) float64 {
	return meanLoss(p.Clean, each(p.Clean, func(x, y []float64) { onedim.TotalVariation(x, y, c) }))
}

// nonzeroAt is the share of samples that the identity times c leaves, over 100 signals.
func nonzeroAt(c float64, seed uint64) float64 {
	p := PiecewiseConstant(64, 3, 6).Draw(100, 0.1, seed)
	count := 0
	for _, x := range Denoise(solve.Identity(64, c), p.Noisy, 1) {
		for _, v := range x {
			if v != 0 {
				count++
			}
		}
	}
	return float64(count) / float64(64*p.Len())
}

// blockInverse inverts a random matrix by the lemma as it is printed, and with its first term corrected.
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
