package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

func randomTransform(k, n int, scale float64, rng *rand.Rand) solve.Transform {
	t := solve.NewTransform(k, n)
	for i := range t.W {
		t.W[i] = scale * rng.NormFloat64()
	}
	return t
}

// finiteDifferences is the 1-D total-variation operator times c, (n-1) x n.
func finiteDifferences(n int, c float64) solve.Transform {
	t := solve.NewTransform(n-1, n)
	for i := range n - 1 {
		t.Row(i)[i], t.Row(i)[i+1] = -c, c
	}
	return t
}

// randomPair draws a clean signal with a few jumps and its noisy version, in units of sigma.
func randomPair(n int, peak float64, rng *rand.Rand) (clean, noisy []float64) {
	clean, noisy = make([]float64, n), make([]float64, n)
	v := peak * rng.Float64()
	for i := range clean {
		if rng.IntN(n) < 6 {
			v = peak * rng.Float64()
		}
		clean[i] = v
		noisy[i] = v + rng.NormFloat64()
	}
	return clean, noisy
}

// solverCases are transforms of all shapes: random, square, tall, structured, with zero rows, with equal rows.
type solverCase struct {
	name string
	w    solve.Transform
}

func solverCases(rng *rand.Rand) []solverCase {
	withZero := randomTransform(20, 20, 0.2, rng)
	clear(withZero.Row(3))
	stack, _ := solve.Stack(randomTransform(64, 64, 0.06, rng), finiteDifferences(64, 0.5), solve.Identity(64, 0.1))
	twice, _ := solve.Stack(finiteDifferences(32, 0.7), finiteDifferences(32, 0.4))
	return []solverCase{
		{"random 36 x 36", randomTransform(36, 36, 0.2, rng)},
		{"random 64 x 64", randomTransform(64, 64, 0.1, rng)},
		{"wide 10 x 30", randomTransform(10, 30, 0.4, rng)},
		{"TV 64", finiteDifferences(64, 1)},
		{"identity", solve.Identity(16, 0.8)},
		{"zero row", withZero},
		{"stack 191 x 64", stack},
		{"equal rows", twice},
		{"strong", randomTransform(30, 30, 5, rng)},
	}
}

func TestSolverSatisfiesKKT(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range solverCases(rng) {
		w := c.w
		t.Run(c.name, func(t *testing.T) {
			solver := NewSolver(w, ExactSchedule(w.K, w.N))
			ws := solver.NewWorkspace()
			y := make([]float64, solve.Lanes*w.N)
			methods := map[Method]int{}
			for range 4 {
				for l := range solve.Lanes {
					_, noisy := randomPair(w.N, 20, rng)
					copy(y[l*w.N:], noisy)
				}
				solver.Solve(ws, y, func(l int, sol *Solution) {
					methods[sol.Method]++
					if sol.Method == NotConverged {
						return
					}
					if k := CheckKKT(w, y[l*w.N:(l+1)*w.N], sol.X, sol.Dual, sol.Pattern); !(k.Max() < 1e-9) {
						t.Errorf("signal %d (method %d, %d steps): %+v", l, sol.Method, sol.Steps, k)
					}
				})
			}
			t.Logf("%d by active-set steps, %d by bounded least squares", methods[ActiveSet], methods[BoundedLeastSquares])
			if methods[NotConverged] > 0 {
				t.Errorf("%d signals have no exact solution", methods[NotConverged])
			}
		})
	}
}

func TestSolutionIsTheClosedFormOfItsPattern(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, w := range []solve.Transform{randomTransform(24, 24, 0.25, rng), finiteDifferences(24, 1), randomTransform(60, 24, 0.1, rng)} {
		solver := NewSolver(w, ExactSchedule(w.K, w.N))
		_, y := randomPair(w.N, 10, rng)
		solver.Solve(solver.NewWorkspace(), y, func(_ int, sol *Solution) {
			x := ClosedForm(w, y, sol.Pattern)
			for i := range x {
				if math.Abs(x[i]-sol.X[i]) > 1e-9 {
					t.Fatalf("%d x %d: closed form differs by %g", w.K, w.N, x[i]-sol.X[i])
				}
			}
		})
	}
}

// ADMM's own sign pattern, read with the paper's threshold gamma, leads to ADMM's solution.
func TestADMMSolutionIsTheClosedFormOfItsPattern(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	for range 20 {
		w := randomTransform(16, 16, 0.3, rng)
		_, y := randomPair(16, 10, rng)
		r := solve.NewADMM(w, solve.Schedule{Iterations: 20000, RhoStart: 1, RhoEnd: 1, Relaxation: 1.7}).Solve(y)
		z := make([]float64, w.K)
		w.Analyze(z, r.X)
		x := ClosedForm(w, y, NewSignPattern(z, 1e-6))
		for i := range x {
			if math.Abs(x[i]-r.X[i]) > 1e-9 {
				t.Fatalf("closed form differs by %g", x[i]-r.X[i])
			}
		}
	}
}

func solveOne(w solve.Transform, y []float64, visit func(*Solution)) {
	solver := NewSolver(w, ExactSchedule(w.K, w.N))
	solver.Solve(solver.NewWorkspace(), y, func(_ int, sol *Solution) { visit(sol) })
}

// addGradient adds the gradient of one pair to grad and returns the loss.
func addGradient(grad []float64, sol *Solution, clean []float64) float64 {
	sum := NewGradientSum(sol.w.K, sol.w.N)
	loss := sum.Add(grad, sol, clean)
	sum.Flush(grad)
	return loss
}

// lossAt solves for a transform near the one that dual belongs to: repairing that dual's pattern is enough.
func lossAt(w solve.Transform, y, clean, dual []float64) float64 {
	solver := newSolver(w)
	ws := solver.newWorkspace()
	ws.y = y
	copy(ws.sol.Dual, dual)
	solver.repair(ws)
	return addGradient(make([]float64, w.K*w.N), &ws.sol, clean)
}

// TestGradientAgainstCentralDifferences checks every entry of the gradient, or for large W about 600 of them. Signals have peak 1 and noise 0.1 as in the
// paper's experiment. The stack's samples have independent zero rows, where the rank of W_0 is locally constant.
func TestGradientAgainstCentralDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	stack, _ := solve.Stack(randomTransform(64, 64, 0.01, rng), randomTransform(64, 64, 0.01, rng), finiteDifferences(64, 0.1), randomTransform(1, 64, 0.01, rng))
	for _, w := range []solve.Transform{randomTransform(5, 5, 0.04, rng), randomTransform(36, 36, 0.02, rng),
		finiteDifferences(64, 0.1), randomTransform(64, 64, 0.02, rng), stack} {
		t.Run(fmt.Sprintf("%d x %d", w.K, w.N), func(t *testing.T) {
			clean, y := randomPair(w.N, 10, rng)
			for i := range y {
				clean[i] /= 10
				y[i] /= 10
			}
			grad, dual := make([]float64, len(w.W)), make([]float64, w.K)
			solveOne(w, y, func(sol *Solution) {
				addGradient(grad, sol, clean)
				copy(dual, sol.Dual)
				if len(sol.factor.rows) != len(sol.Pattern.Zero()) {
					t.Fatal("W_0 is rank deficient: this sample proves nothing")
				}
				if z := len(sol.Pattern.Zero()); z < w.K/10 || z == w.K {
					t.Fatalf("a pattern with %d zeros of %d proves nothing", z, w.K)
				}
			})
			if worst := centralDifferenceError(w.Clone(), y, clean, dual, grad); !(worst < 1e-8) {
				t.Errorf("largest error %g", worst)
			} else {
				t.Logf("largest error %.2g of gradient entries up to %.2g", worst, maxAbs(grad))
			}
		})
	}
}

// centralDifferenceError uses central differences of fourth order: those of second order have errors of 1e-8 themselves.
func centralDifferenceError(w solve.Transform, y, clean, dual, grad []float64) (worst float64) {
	const h = 1e-5
	for e := 0; e < len(w.W); e += 1 + len(w.W)/600 {
		v := w.W[e]
		slope := func(h float64) float64 {
			w.W[e] = v + h
			up := lossAt(w, y, clean, dual)
			w.W[e] = v - h
			return (up - lossAt(w, y, clean, dual)) / (2 * h)
		}
		difference := (4*slope(h) - slope(2*h)) / 3
		w.W[e] = v
		worst = max(worst, math.Abs(difference-grad[e]))
	}
	return worst
}

func maxAbs(v []float64) (m float64) {
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}

func TestFastGradientIsThePapersGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 4))
	for _, w := range []solve.Transform{randomTransform(20, 20, 0.2, rng), finiteDifferences(20, 1), randomTransform(50, 20, 0.1, rng), randomTransform(8, 20, 0.1, rng)} {
		for range 10 {
			clean, y := randomPair(w.N, 5, rng)
			grad := make([]float64, len(w.W))
			solveOne(w, y, func(sol *Solution) {
				addGradient(grad, sol, clean)
				want := PaperGradient(w, y, clean, sol.Pattern)
				for i := range grad {
					if math.Abs(grad[i]-want.W[i]) > 1e-8 {
						t.Fatalf("%d x %d: entry %d is %g, the paper's formula gives %g", w.K, w.N, i, grad[i], want.W[i])
					}
				}
			})
		}
	}
}

func TestGradientIsZeroWhereTheSolutionIsZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	for _, k := range []int{12, 30} { // W_0 = W, of full rank and rank deficient
		w := randomTransform(k, 12, 8, rng)
		clean, y := randomPair(12, 2, rng)
		grad := make([]float64, len(w.W))
		solveOne(w, y, func(sol *Solution) {
			addGradient(grad, sol, clean)
			if maxAbs(sol.X) > 1e-9 {
				t.Fatalf("x* = %v is not zero", sol.X)
			}
		})
		if maxAbs(grad) > 1e-8 {
			t.Errorf("k = %d: gradient up to %g", k, maxAbs(grad))
		}
	}
}

// The pattern stays the same in a neighbourhood of W (the paper's stability experiment, perturbations of 1e-8).
func TestSignPatternIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for _, c := range []solverCase{{"identity", solve.Identity(64, 1)}, {"finite differences", finiteDifferences(64, 1)},
		{"random", randomTransform(64, 64, 0.2, rng)}, {"zero", solve.NewTransform(64, 64)}} {
		for range 50 {
			_, y := randomPair(64, 10, rng)
			p := c.w.Clone()
			for i := range p.W {
				p.W[i] += 1e-8 * rng.NormFloat64()
			}
			before, after := patternAt(c.w, y), patternAt(p, y)
			for i := range before {
				if before[i] != after[i] {
					t.Fatalf("%s: sign %d changes from %d to %d", c.name, i, before[i], after[i])
				}
			}
		}
	}
}

// patternAt reads the signs of W x* with a threshold, as the paper does: at W = 0 every coefficient is zero, and tiny
// but not zero beside it.
func patternAt(w solve.Transform, y []float64) (c SignPattern) {
	z := make([]float64, w.K)
	solveOne(w, y, func(sol *Solution) { w.Analyze(z, sol.X) })
	return NewSignPattern(z, 1e-5)
}
