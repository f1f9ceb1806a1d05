package bilevel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/solve/solvetest"
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
					_, noisy := solvetest.Pair(w.N, 20, rng)
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
	stack, _ := solve.Stack(solvetest.Transform(64, 64, 0.01, rng), solvetest.Transform(64, 64, 0.01, rng),
		solvetest.FiniteDifferences(64, 0.1), solvetest.Transform(1, 64, 0.01, rng))
	for _, w := range []solve.Transform{solvetest.Transform(5, 5, 0.04, rng), solvetest.Transform(36, 36, 0.02, rng),
		solvetest.FiniteDifferences(64, 0.1), solvetest.Transform(64, 64, 0.02, rng), stack} {
		t.Run(fmt.Sprintf("%d x %d", w.K, w.N), func(t *testing.T) {
			clean, y := solvetest.Pair(w.N, 10, rng)
			for i := range y {
				clean[i] /= 10
				y[i] /= 10
			}
			grad, dual := make([]float64, len(w.W)), make([]float64, w.K)
			solveOne(w, y, func(sol *Solution) {
				addGradient(grad, sol, clean)
				copy(dual, sol.Dual)
				if len(sol.factor.rows) != zeros(sol.Pattern) {
					t.Fatal("W_0 is rank deficient: this sample proves nothing")
				}
				if z := zeros(sol.Pattern); z < w.K/10 || z == w.K {
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

func TestGradientIsZeroWhereTheSolutionIsZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	for _, k := range []int{12, 30} { // W_0 = W has full rank, then it is rank deficient
		w := solvetest.Transform(k, 12, 8, rng)
		clean, y := solvetest.Pair(12, 2, rng)
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
