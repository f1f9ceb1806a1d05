package closedform_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
	"github.com/blorc-denoise/blorc-denoise/paper/gradient"
)

func randomTransform(k, n int, scale float64, rng *rand.Rand) solve.Transform {
	t := solve.NewTransform(k, n)
	for i := range t.W {
		t.W[i] = scale * rng.NormFloat64()
	}
	return t
}

// finiteDifferences returns the operator of 1-D total variation, (n-1) x n.
func finiteDifferences(n int) solve.Transform {
	t := solve.NewTransform(n-1, n)
	for i := range n - 1 {
		t.Row(i)[i], t.Row(i)[i+1] = -1, 1
	}
	return t
}

// randomSignal draws a signal with a few jumps and noise of standard deviation 1.
func randomSignal(n int, peak float64, rng *rand.Rand) (clean, noisy []float64) {
	v := peak * rng.Float64()
	for range n {
		if rng.IntN(n) < 6 {
			v = peak * rng.Float64()
		}
		clean, noisy = append(clean, v), append(noisy, v+rng.NormFloat64())
	}
	return clean, noisy
}

// solved returns the exact solution.
func solved(w solve.Transform, y []float64) *bilevel.Solution {
	var result *bilevel.Solution
	solver := bilevel.NewSolver(w)
	solver.Solve(solver.NewWorkspace(), y, func(_ int, sol *bilevel.Solution) { result = sol })
	return result
}

func transforms(rng *rand.Rand) []solve.Transform {
	return []solve.Transform{randomTransform(20, 20, 0.25, rng), finiteDifferences(20),
		randomTransform(50, 20, 0.1, rng), randomTransform(8, 20, 0.1, rng)}
}

// The closed form and the gradient for the pattern of the exact solution are those of the exact solver.
func TestFormulasAgreeWithTheExactSolver(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, w := range transforms(rng) {
		for range 10 {
			clean, y := randomSignal(w.N, 8, rng)
			sol := solved(w, y)
			if d := floats.Distance(closedform.Solution(w, y, sol.Pattern), sol.X, math.Inf(1)); !(d < 1e-9) {
				t.Fatalf("%d x %d: the closed form differs by %g", w.K, w.N, d)
			}
			sum, got := bilevel.NewGradientSum(w.K, w.N), make([]float64, len(w.W))
			sum.Add(got, sol, clean)
			sum.Flush(got)
			want := closedform.Gradient(w, y, clean, sol.Pattern)
			if d := floats.Distance(got, want.W, math.Inf(1)); !(d < 1e-8) {
				t.Fatalf("%d x %d: the gradient differs by %g", w.K, w.N, d)
			}
		}
	}
}

// The closed form for ADMM's own sign pattern, read with the paper's threshold gamma, is ADMM's solution.
func TestADMMSolutionIsTheClosedFormOfItsPattern(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	for range 20 {
		w := randomTransform(16, 16, 0.3, rng)
		_, y := randomSignal(16, 10, rng)
		x, err := (&gradient.Unrolled{Iterations: 20000}).Solve(gradient.Problem{W: w, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		z := make([]float64, w.K)
		w.Analyze(z, x)
		got := closedform.Solution(w, y, closedform.NewSignPattern(z, 1e-6))
		if d := floats.Distance(got, x, math.Inf(1)); !(d < 1e-9) {
			t.Fatalf("the closed form differs by %g", d)
		}
	}
}

// Solutions for one sample, and for orthonormal rows times a strength, are thresholds.
func TestThresholdsAreTheExactSolution(t *testing.T) {
	for _, w := range []float64{0.3, -0.3, 1, 2.5, -4} {
		for _, y := range []float64{-3, -1, -0.2, 0, 0.29, 0.31, 1, 5} {
			want := solved(solve.Transform{K: 1, N: 1, W: []float64{w}}, []float64{y}).X[0]
			if got := closedform.Scalar(w, y); math.Abs(got-want) > 1e-12 {
				t.Errorf("w = %g, y = %g: %g, not %g", w, y, got, want)
			}
		}
	}
	rng := rand.New(rand.NewPCG(6, 4))
	for range 20 {
		var qr mat.QR
		var q mat.Dense
		qr.Factorize(mat.NewDense(16, 16, randomTransform(16, 16, 1, rng).W))
		qr.QTo(&q)
		w := solve.Transform{K: 16, N: 16, W: q.RawMatrix().Data}.Scale(0.7)
		_, y := randomSignal(16, 4, rng)
		got := make([]float64, 16)
		closedform.Orthonormal(got, w, y)
		if d := floats.Distance(got, solved(w, y).X, math.Inf(1)); d > 1e-9 {
			t.Errorf("orthonormal rows: %g from the solution", d)
		}
	}
}

// The pattern is constant in a neighbourhood of W (the paper's stability experiment, with perturbations of 1e-8).
func TestSignPatternIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for _, w := range []solve.Transform{solve.Identity(64, 1), finiteDifferences(64),
		randomTransform(64, 64, 0.2, rng), solve.NewTransform(64, 64)} {
		for range 50 {
			_, y := randomSignal(64, 10, rng)
			p := w.Clone()
			for i := range p.W {
				p.W[i] += 1e-8 * rng.NormFloat64()
			}
			if before, after := patternAt(w, y), patternAt(p, y); !slices.Equal(before, after) {
				t.Fatalf("%d x %d: signs %v, then %v", w.K, w.N, before, after)
			}
		}
	}
}

// patternAt returns the signs of W x* with a threshold, as the paper does. At W = 0 every coefficient is zero, and
// close to it tiny but not zero.
func patternAt(w solve.Transform, y []float64) closedform.SignPattern {
	z := make([]float64, w.K)
	w.Analyze(z, solved(w, y).X)
	return closedform.NewSignPattern(z, 1e-5)
}

func ExampleOrthonormal() {
	x := make([]float64, 3)
	closedform.Orthonormal(x, solve.Identity(3, 0.5), []float64{2, -0.25, 1})
	fmt.Printf("%.3f\n", x)
	// Output: [1.500 0.000 0.500]
}
