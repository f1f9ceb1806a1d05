package bilevel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/internal/solve/solvetest"
)

// Every sample gets its exact solution. Samples of tall transforms are the hard ones.
func TestEverySampleIsSolvedExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 4))
	const count = 12 * solve.Lanes
	_, natural := naturalPairs(count)
	_, random := randomPairs(count, 64, 10)
	for _, c := range []struct {
		name string
		w    solve.Transform
		y    []float64
	}{
		{"square random rows, natural patches", solvetest.Transform(64, 64, 0.1, rng), natural},
		{"square trained-like rows, natural patches", trainedLike(1, rng), natural},
		{"random rows, random signals", solvetest.Transform(192, 64, 0.08, rng), random},
		{"strong random rows, random signals", solvetest.Transform(192, 64, 0.3, rng), random},
		{"random rows, natural patches", solvetest.Transform(192, 64, 0.08, rng), natural},
		{"trained-like rows, natural patches", trainedStack(0.4), natural},
		{"strong trained-like rows, natural patches", trainedStack(1.2), natural},
		{"mean-free rows, natural patches", deficientStack(), natural},
	} {
		solver := NewSolver(c.w)
		ws := solver.NewWorkspace()
		methods, steps, zeros, worst := [3]int{}, [3]int{}, 0, 0.0
		for at := range slices.Chunk(c.y, solve.Lanes*64) {
			solver.Solve(ws, at, func(i int, sol *Solution) {
				methods[sol.Method]++
				steps[sol.Method] += sol.Steps
				zeros += len(sol.factor.rows)
				worst = max(worst, checkKKT(c.w, at[i*64:(i+1)*64], sol.X, sol.Dual, sol.Pattern).max())
			})
		}
		mean := func(m Method) float64 { return float64(steps[m]) / float64(max(1, methods[m])) }
		t.Logf("%s: rank of W_0 %.1f; %.2f %% by %.1f active-set steps, %.2f %% by %.1f rounds of bounded least "+
			"squares; KKT within %.1g", c.name,
			float64(zeros)/count, 100*float64(methods[ActiveSet])/count, mean(ActiveSet),
			100*float64(methods[BoundedLeastSquares])/count, mean(BoundedLeastSquares), worst)
		if n := methods[NotConverged]; n > 0 {
			t.Errorf("%s: %d samples of %d without a solution", c.name, n, count)
		}
		if !(worst < 1e-9) {
			t.Errorf("%s: KKT conditions violated by %g", c.name, worst)
		}
	}
}

// Bounded least squares finds the same solution from any feasible dual.
func TestBoundedLeastSquaresFromAnyStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 4))
	for _, c := range solverCases(rng) {
		solver := NewSolver(c.w)
		ws, other := solver.NewWorkspace(), solver.newWorkspace()
		_, y := randomPairs(5, c.w.N, 20)
		solver.Solve(ws, y, func(i int, sol *Solution) {
			other.y, other.tol = y[i*c.w.N:(i+1)*c.w.N], ws.tol
			for j := range other.sol.Dual {
				other.sol.Dual[j] = 0
				if solver.gram[j*c.w.K+j] > 0 {
					other.sol.Dual[j] = max(-1, min(1, 1.5*rng.NormFloat64()))
				}
			}
			if !solver.boundedLeastSquares(other) {
				t.Fatalf("%s: no solution", c.name)
			}
			solver.primal(other)
			for j, x := range sol.X {
				if math.Abs(x-other.sol.X[j]) > 1e-9 {
					t.Fatalf("%s: x differs by %g", c.name, x-other.sol.X[j])
				}
			}
		})
	}
}

// The solver solves all samples if rows are equal up to rounding or clearly differ. In between, where the factor cannot
// tell dependent rows from independent ones, it either finds the exact solution or reports that it did not.
func TestNearlyEqualRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 4))
	_, y := randomPairs(solve.Lanes, 32, 20)
	for _, c := range []struct {
		difference float64
		all        bool
	}{{0, true}, {1e-14, true}, {1e-11, false}, {1e-9, false}, {1e-7, false}, {1e-6, false}, {1e-4, true},
		{1e-2, true}} {
		w, _ := solve.Stack(solvetest.FiniteDifferences(32, 0.7), solvetest.FiniteDifferences(32, 0.4))
		for i := range w.W {
			w.W[i] *= 1 + c.difference*rng.NormFloat64()
		}
		solver, solved := NewSolver(w), 0
		solver.Solve(solver.NewWorkspace(), y, func(i int, sol *Solution) {
			if sol.Method == NotConverged {
				return
			}
			solved++
			if k := checkKKT(w, y[i*w.N:(i+1)*w.N], sol.X, sol.Dual, sol.Pattern); !(k.max() < 1e-9) {
				t.Errorf("difference %g: %+v", c.difference, k)
			}
		})
		if c.all && solved < solve.Lanes {
			t.Errorf("difference %g: %d solved", c.difference, solved)
		}
	}
}

func TestFactorOfChangingRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 4))
	w := solvetest.Transform(30, 12, 1, rng)
	s := newSolver(w)
	changing, fresh := newCholesky(s.gram, w.K, w.N), newCholesky(s.gram, w.K, w.N)
	for range 500 {
		if n := len(changing.rows); n > 0 && rng.IntN(2) == 0 {
			changing.remove(rng.IntN(n))
		} else if i := rng.IntN(w.K); !slices.Contains(changing.rows, i) && changing.add(i) != (n < w.N) {
			t.Fatalf("row %d of %d", n+1, w.N)
		}
		if !fresh.set(changing.rows) {
			t.Fatal("rows are not independent")
		}
		for i := range changing.rows {
			for j := range i + 1 {
				if d := changing.l[i*changing.stride+j] - fresh.l[i*fresh.stride+j]; math.Abs(d) > 1e-9 {
					t.Fatalf("entry %d, %d of %d rows differs by %g", i, j, len(changing.rows), d)
				}
			}
		}
	}
}

// A factor keeps the rows before the first dependent one.
func TestFactorStopsAtADependentRow(t *testing.T) {
	w, _ := solve.Stack(solve.Identity(4, 1), solve.Identity(4, 2))
	f := newCholesky(newSolver(w).gram, w.K, w.N)
	if f.set([]int{0, 3, 2, 4, 1}) || !slices.Equal(f.rows, []int{0, 3, 2}) {
		t.Errorf("rows %v", f.rows)
	}
	if f.add(7) || !f.add(5) || f.add(6) {
		t.Errorf("rows %v", f.rows)
	}
}

// Add flushes a full sum. The gradients of many pairs add up.
func TestGradientSumOfManyPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 4))
	w := solvetest.Transform(14, 10, 0.3, rng)
	clean, noisy := randomPairs(3*solve.Lanes-5, w.N, 10)
	solver := NewSolver(w)
	ws, sum := solver.NewWorkspace(), NewGradientSum(w.K, w.N)
	grad, want := make([]float64, len(w.W)), make([]float64, len(w.W))
	loss, wantLoss := 0.0, 0.0
	for at := 0; at < len(noisy); at += solve.Lanes * w.N {
		y := noisy[at:min(at+solve.Lanes*w.N, len(noisy))]
		solver.Solve(ws, y, func(i int, sol *Solution) {
			target := clean[at+i*w.N:][:w.N]
			loss += sum.Add(grad, sol, target)
			for j, x := range sol.X {
				wantLoss += (x - target[j]) * (x - target[j]) / 2
			}
			addGradient(want, sol, target)
		})
	}
	sum.Flush(grad)
	if math.Abs(loss-wantLoss) > 1e-9*wantLoss {
		t.Errorf("loss %g, not %g", loss, wantLoss)
	}
	for i, v := range grad {
		if math.Abs(v-want[i]) > 1e-7 {
			t.Fatalf("entry %d is %g, not %g", i, v, want[i])
		}
	}
}

// With equal rows W_0 is rank deficient. The gradient is right along changes that keep the rows equal.
func TestGradientWhereTheRankIsKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 4))
	tripled := func(w solve.Transform) solve.Transform {
		stack, _ := solve.Stack(w, w.Scale(0.5), w.Scale(-0.8))
		return stack
	}
	half := solvetest.FiniteDifferences(20, 0.5)
	clean, noisy := randomPairs(10, half.N, 10)
	deficient := 0
	for i := range 10 {
		clean, y := clean[i*half.N:(i+1)*half.N], noisy[i*half.N:(i+1)*half.N]
		w, direction := tripled(half), tripled(solvetest.Transform(half.K, half.N, 1, rng))
		grad, slope, dual := make([]float64, len(w.W)), 0.0, make([]float64, w.K)
		solveOne(w, y, func(sol *Solution) {
			addGradient(grad, sol, clean)
			slope = floats.Dot(grad, direction.W)
			copy(dual, sol.Dual)
			if len(sol.factor.rows) < zeros(sol.Pattern) {
				deficient++
			}
		})
		loss := func(h float64) float64 {
			moved := w.Clone()
			floats.AddScaled(moved.W, h, direction.W)
			return lossAt(moved, y, clean, dual)
		}
		const h = 1e-6
		if want := (loss(h) - loss(-h)) / (2 * h); math.Abs(slope-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("signal %d: slope %g, central difference %g", i, slope, want)
		}
	}
	if deficient < 5 {
		t.Errorf("only %d signals with rows that depend on others", deficient)
	}
}

func TestGradientsDoNotAllocate(t *testing.T) {
	w := deficientStack() // needs all methods of the solver
	_, noisy := naturalPairs(solve.Lanes)
	solver := NewSolver(w)
	ws, sum, grad := solver.NewWorkspace(), NewGradientSum(w.K, w.N), make([]float64, len(w.W))
	visit := func(_ int, sol *Solution) { sum.Add(grad, sol, noisy[:w.N]) }
	if n := testing.AllocsPerRun(3, func() {
		solver.Solve(ws, noisy, visit)
		sum.Flush(grad)
	}); n > 0 {
		t.Errorf("%g allocations for a panel", n)
	}
}

func BenchmarkGradient(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	clean, noisy := naturalPairs(4 * solve.Lanes)
	for _, c := range []solverCase{{"63 x 64 DCT", solve.DCTBasis(patchSide)},
		{"64 x 64 trained-like", trainedLike(1, rng)},
		{"64 x 64 random", solvetest.Transform(64, 64, 0.08, rng)}, {"192 x 64 random",
			solvetest.Transform(192, 64, 0.08, rng)},
		{"192 x 64 trained-like", trainedStack(0.4)}, {"192 x 64 mean-free", deficientStack()}} {
		w := c.w
		b.Run(c.name, func(b *testing.B) {
			solver := NewSolver(w)
			ws, sum, grad := solver.NewWorkspace(), NewGradientSum(w.K, w.N), make([]float64, len(w.W))
			size, at := solve.Lanes*w.N, 0
			for b.Loop() {
				solver.Solve(ws, noisy[at:at+size], func(i int,
					sol *Solution) {
					sum.Add(grad, sol, clean[at+i*w.N:][:w.N])
				})
				sum.Flush(grad)
				at = (at + size) % len(noisy)
			}
			b.ReportMetric(float64(b.N*solve.Lanes)/b.Elapsed().Seconds(), "gradients/s")
		})
	}
}
