package baseline

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

func randomRows(k, n int, rng *rand.Rand) solve.Transform {
	w := solve.NewTransform(k, n)
	for i := range k {
		for j := range n {
			w.Row(i)[j] = rng.NormFloat64()
		}
		floats.Scale(1/floats.Norm(w.Row(i), 2), w.Row(i))
	}
	return w
}

func randomVector(n int, rng *rand.Rand) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func TestPursuitProjectsWithinTheBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	w := randomRows(18, 12, rng)
	copy(w.Row(3), w.Row(9)) // rows may repeat
	p := newPursuit(w)
	for range 50 {
		y := randomVector(12, rng)
		budget := 6 * rng.Float64()
		p.run(y, budget, 12)
		x := make([]float64, 12)
		p.result(x, y)
		if d := floats.Distance(x, y, 2); d*d > budget+1e-9 {
			t.Fatalf("||x - y||^2 = %g, budget %g", d*d, budget)
		}
		var rows []int
		for i, taken := range p.taken {
			if taken {
				rows = append(rows, i)
				if c := math.Abs(floats.Dot(w.Row(i), x)); c > 1e-9 {
					t.Fatalf("row %d was taken, but w x = %g", i, c)
				}
			}
		}
		var want mat.VecDense // x is the projection of y, not only orthogonal
		want.MulVec(bilevel.NullspaceProjector(w, rows), mat.NewVecDense(12, y))
		if floats.Distance(x, want.RawVector().Data, 2) > 1e-9 {
			t.Fatal("x is not the projection of y")
		}
	}
}

// Signals that are orthogonal to many rows of a hidden operator give that operator back, up to signs and order.
func TestAnalysisKSVDRecoversAnOperator(t *testing.T) {
	const n, k, rank = 12, 12, 4
	rng := rand.New(rand.NewPCG(2, 2))
	hidden := randomRows(k, n, rng)
	for i := range k { // what the learning of patches assumes: rows without mean
		floats.AddConst(-floats.Sum(hidden.Row(i))/n, hidden.Row(i))
		floats.Scale(1/floats.Norm(hidden.Row(i), 2), hidden.Row(i))
	}
	examples := make([][]float64, 1200)
	for t := range examples {
		x := mat.NewVecDense(n, randomVector(n, rng))
		x.MulVec(bilevel.NullspaceProjector(hidden, rng.Perm(k)[:n-1-rank]), x)
		examples[t] = x.RawVector().Data
		floats.AddConst(-floats.Sum(examples[t])/n, examples[t])
		for i := range examples[t] {
			examples[t][i] += 0.01 * rng.NormFloat64()
		}
	}
	w, err := AnalysisKSVD{Rows: k, Iterations: 40, PatchSize: 1, CoRank: n - 1 - rank}.Learn(context.Background(), examples, 0.01, 2)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range k {
		best := 0.0
		for j := range k {
			best = max(best, math.Abs(floats.Dot(hidden.Row(i), w.Row(j))))
		}
		if best > 0.99 {
			found++
		}
	}
	t.Logf("%d of %d rows found", found, k)
	if found < k*3/4 {
		t.Errorf("%d of %d rows found", found, k)
	}
}

func TestProcrustesIsNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	m := mat.NewDense(6, 6, randomVector(36, rng))
	var w, wm, other, om mat.Dense
	Procrustes(&w, m)
	wm.Mul(w.T(), m)
	for range 30 {
		Procrustes(&other, mat.NewDense(6, 6, randomVector(36, rng)))
		if om.Mul(other.T(), m); mat.Trace(&om) > mat.Trace(&wm) {
			t.Fatal("a random orthogonal matrix is nearer")
		}
	}
}

// Signals that are sparse in a hidden basis give an operator that is orthogonal and as sparse as the basis.
func TestOrthogonalFindsASparseBasis(t *testing.T) {
	const n = 8
	rng := rand.New(rand.NewPCG(4, 4))
	var basis mat.Dense
	Procrustes(&basis, mat.NewDense(n, n, randomVector(n*n, rng)))
	var signals [][]float64
	sparsest := 0.0
	for range 400 {
		x := make([]float64, n)
		for _, i := range rng.Perm(n)[:2] {
			c := rng.NormFloat64()
			sparsest += math.Abs(c)
			floats.AddScaled(x, c, basis.RawRowView(i))
		}
		signals = append(signals, x)
	}
	w, objective := Orthogonal{Start: solve.Identity(n, 1), Rho: 2, Iterations: 400}.Learn(signals)
	if last := objective[len(objective)-1]; last > sparsest*1.001 {
		t.Errorf("sum of |W x| is %g, %g in the hidden basis, %g at first", last, sparsest, objective[0])
	}
	for i := range n {
		for j := range n {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := floats.Dot(w.Row(i), w.Row(j)); math.Abs(got-want) > 1e-10 {
				t.Fatalf("rows %d and %d: %g", i, j, got)
			}
		}
	}
}

func TestHuberSolvesAndDifferentiates(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, delta := range []float64{0.05, 0.4, 3} {
		h := NewHuber(randomRows(10, 8, rng), delta)
		y, target := randomVector(8, rng), randomVector(8, rng)
		if r := h.Solve(y); r > 1e-10 {
			t.Errorf("delta %g: gradient %g at the solution", delta, r)
		}
		grad := make([]float64, len(h.W.W))
		h.Gradient(grad, target)
		scratch := make([]float64, len(grad))
		for i, v := range h.W.W {
			const step = 1e-6
			h.W.W[i] = v + step
			h.Solve(y)
			above := h.Gradient(scratch, target)
			h.W.W[i] = v - step
			h.Solve(y)
			want := (above - h.Gradient(scratch, target)) / (2 * step)
			h.W.W[i] = v
			if math.Abs(grad[i]-want) > 1e-7 {
				t.Fatalf("delta %g, element %d: %g, not %g", delta, i, grad[i], want)
			}
		}
	}
}

// L(z) of W scaled by 1/delta tends to |z|: with a small delta the penalty is the l1 norm.
func TestHuberWithSmallDeltaIsTheL1Norm(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	w := randomRows(10, 8, rng).Scale(0.5)
	y := randomVector(8, rng)
	const delta = 0.03
	h := NewHuber(w.Scale(1/delta), delta)
	if r := h.Solve(y); r > 1e-9 {
		t.Fatalf("gradient %g at the solution", r)
	}
	solver := bilevel.NewSolver(w)
	solver.Solve(solver.NewWorkspace(), y, func(_ int, s *bilevel.Solution) {
		if d := floats.Distance(h.X, s.X, math.Inf(1)); d > 0.02 {
			t.Errorf("the solutions differ by %g", d)
		}
	})
}

// The gap bounds the distance to the minimum, so a small one proves the solution.
func TestTVClosesItsDualityGap(t *testing.T) {
	_, noisy := drawn(40, 30, 0.1)
	s := NewTVSolver(noisy, 0.1)
	s.Iterate()
	first := s.Gap()
	for range 2000 {
		s.Iterate()
	}
	if last := s.Gap(); last > 1e-3*first || last < -1e-6*first {
		t.Errorf("the duality gap went from %g to %g", first, last)
	}
}
