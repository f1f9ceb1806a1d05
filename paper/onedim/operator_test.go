package onedim

import (
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

func TestProcrustesIsNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	m := mat.NewDense(6, 6, randomVector(36, rng))
	var w, wm, other, om mat.Dense
	Procrustes(&w, m)
	wm.Mul(w.T(), m)
	for range 30 {
		Procrustes(&other, mat.NewDense(6, 6, randomVector(36, rng)))
		if om.Mul(other.T(), m); mat.Trace(&om) > mat.Trace(&wm) {
			t.Fatal("a random orthogonal matrix has a larger trace")
		}
	}
}

// From signals that are sparse in a hidden basis, Learn finds an orthogonal operator that makes them as sparse as the
// basis does.
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
		t.Errorf("sum of |W x| is %g at the end and %g at first, want %g as in the hidden basis", last, objective[0],
			sparsest)
	}
	for i := range n {
		for j := range n {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := floats.Dot(w.Row(i), w.Row(j)); math.Abs(got-want) > 1e-10 {
				t.Fatalf("rows %d and %d have product %g", i, j, got)
			}
		}
	}
}

func TestHuberSolvesAndDifferentiates(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, delta := range []float64{0.05, 0.4, 3} {
		h := NewSmooth(randomRows(10, 8, rng), Huber(delta))
		y, target := randomVector(8, rng), randomVector(8, rng)
		if r := h.Solve(y); r > 1e-10 {
			t.Errorf("delta %g: the gradient at the solution is %g", delta, r)
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
				t.Fatalf("delta %g, element %d is %g, want %g", delta, i, grad[i], want)
			}
		}
	}
}

// With W scaled by 1/delta, L(z) tends to |z| as delta goes to 0. So for a small delta the penalty is close to the l1
// norm.
func TestHuberWithSmallDeltaIsTheL1Norm(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	w := randomRows(10, 8, rng).Scale(0.5)
	y := randomVector(8, rng)
	const delta = 0.03
	h := NewSmooth(w.Scale(1/delta), Huber(delta))
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
