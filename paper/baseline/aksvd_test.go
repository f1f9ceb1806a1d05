package baseline

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
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
		for i, chosen := range p.chosen {
			if chosen {
				rows = append(rows, i)
				if c := math.Abs(floats.Dot(w.Row(i), x)); c > 1e-9 {
					t.Fatalf("row %d was chosen, but w x = %g, want 0", i, c)
				}
			}
		}
		var want mat.VecDense // x is the projection of y, not just any orthogonal vector
		want.MulVec(closedform.NullspaceProjector(w, rows), mat.NewVecDense(12, y))
		if floats.Distance(x, want.RawVector().Data, 2) > 1e-9 {
			t.Fatal("x is not the projection of y")
		}
	}
}

// If the examples are orthogonal to many rows of a hidden operator, learning finds that operator up to signs and order.
func TestAnalysisKSVDRecoversAnOperator(t *testing.T) {
	const n, k, rank = 12, 12, 4
	rng := rand.New(rand.NewPCG(2, 2))
	hidden := randomRows(k, n, rng)
	for i := range k { // learning assumes that rows have mean zero
		floats.AddConst(-floats.Sum(hidden.Row(i))/n, hidden.Row(i))
		floats.Scale(1/floats.Norm(hidden.Row(i), 2), hidden.Row(i))
	}
	examples := make([][]float64, 1200)
	for t := range examples {
		x := mat.NewVecDense(n, randomVector(n, rng))
		x.MulVec(closedform.NullspaceProjector(hidden, rng.Perm(k)[:n-1-rank]), x)
		examples[t] = x.RawVector().Data
		floats.AddConst(-floats.Sum(examples[t])/n, examples[t])
		for i := range examples[t] {
			examples[t][i] += 0.01 * rng.NormFloat64()
		}
	}
	w, err := AnalysisKSVD{Rows: k, Iterations: 40, CoRank: n - 1 - rank}.learn(context.Background(), examples, 0.01, 2)
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
