package bilevel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

func TestSolverSatisfiesKKT(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range solverCases(rng) {
		w := c.w
		t.Run(c.name, func(t *testing.T) {
			solver := NewSolver(w)
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
					if k := checkKKT(w, y[l*w.N:(l+1)*w.N], sol.X, sol.Dual, sol.Pattern); !(k.max() < 1e-9) {
						t.Errorf("signal %d (method %d, %d steps): %+v", l, sol.Method, sol.Steps, k)
					}
				})
			}
			t.Logf("%d by active-set steps, %d by bounded least squares", methods[ActiveSet],
				methods[BoundedLeastSquares])
			if methods[NotConverged] > 0 {
				t.Errorf("%d signals have no exact solution", methods[NotConverged])
			}
		})
	}
}

func TestSolutionIsTheClosedFormOfItsPattern(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, w := range []solve.Transform{randomTransform(24, 24, 0.25, rng), finiteDifferences(24, 1),
		randomTransform(60, 24, 0.1, rng)} {
		solver := NewSolver(w)
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

// The closed form for ADMM's own sign pattern, read with the paper's threshold gamma, is ADMM's solution.
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
	solver := NewSolver(w)
	solver.Solve(solver.NewWorkspace(), y, func(_ int, sol *Solution) { visit(sol) })
}

// addGradient adds the gradient of one pair to grad and returns the loss.
func addGradient(grad []float64, sol *Solution, clean []float64) float64 {
	sum := NewGradientSum(sol.w.K, sol.w.N)
	loss := sum.Add(grad, sol, clean)
	sum.Flush(grad)
	return loss
}

// lossAt returns the loss for w. dual is the dual of a transform close to w, so its pattern needs few repairs.
func lossAt(w solve.Transform, y, clean, dual []float64) float64 {
	solver := newSolver(w)
	ws := solver.newWorkspace()
	ws.y = y
	copy(ws.sol.Dual, dual)
	solver.repair(ws)
	return addGradient(make([]float64, w.K*w.N), &ws.sol, clean)
}

// TestGradientAgainstCentralDifferences checks all entries of the gradient, or about 600 of them for large W. Signals
// have peak 1 and noise 0.1 as in the paper's experiment. All samples have independent rows in W_0, whose rank is then
// constant around W.
func TestGradientAgainstCentralDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	stack, _ := solve.Stack(randomTransform(64, 64, 0.01, rng), randomTransform(64, 64, 0.01, rng),
		finiteDifferences(64, 0.1), randomTransform(1, 64, 0.01, rng))
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

// centralDifferenceError returns the largest error of grad against central differences of fourth order. Those of second
// order have errors of 1e-8 themselves.
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
	for _, w := range []solve.Transform{randomTransform(20, 20, 0.2, rng), finiteDifferences(20, 1),
		randomTransform(50, 20, 0.1, rng), randomTransform(8, 20, 0.1, rng)} {
		for range 10 {
			clean, y := randomPair(w.N, 5, rng)
			grad := make([]float64, len(w.W))
			solveOne(w, y, func(sol *Solution) {
				addGradient(grad, sol, clean)
				want := PaperGradient(w, y, clean, sol.Pattern)
				for i := range grad {
					if math.Abs(grad[i]-want.W[i]) > 1e-8 {
						t.Fatalf("%d x %d: entry %d is %g, the paper's formula gives %g", w.K, w.N, i, grad[i],
							want.W[i])
					}
				}
			})
		}
	}
}

func TestGradientIsZeroWhereTheSolutionIsZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	for _, k := range []int{12, 30} { // W_0 = W has full rank, then it is rank deficient
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

// The pattern is constant in a neighbourhood of W (the paper's stability experiment, with perturbations of 1e-8).
func TestSignPatternIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for _, c := range []solverCase{{"identity", solve.Identity(64, 1)},
		{"finite differences", finiteDifferences(64, 1)},
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

// patternAt returns the signs of W x* with a threshold, as the paper does. At W = 0 every coefficient is zero, and
// close to it tiny but not zero.
func patternAt(w solve.Transform, y []float64) (c SignPattern) {
	z := make([]float64, w.K)
	solveOne(w, y, func(sol *Solution) { w.Analyze(z, sol.X) })
	return NewSignPattern(z, 1e-5)
}
