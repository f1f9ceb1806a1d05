package gradient

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// problem draws a transform near scaled finite differences and a piecewise-constant pair.
func problem(k, n int, seed uint64) Problem {
	rng := rand.New(rand.NewPCG(seed, 5))
	p := Problem{solve.NewTransform(k, n), make([]float64, n), make([]float64, n)}
	for i := range k {
		p.W.Row(i)[i%n] = 0.15
		p.W.Row(i)[(i+1)%n] -= 0.15
	}
	for i := range p.W.W {
		p.W.W[i] += 0.01 * rng.NormFloat64()
	}
	level := 0.5
	for i := range n {
		if rng.IntN(8) == 0 {
			level = rng.Float64()
		}
		p.Target[i] = level
		p.Y[i] = level + 0.1*rng.NormFloat64()
	}
	return p
}

func relative(a, b solve.Transform) float64 {
	return floats.Distance(a.W, b.W, 2) / floats.Norm(b.W, 2)
}

// Implicit and Unrolled solve other problems, so their gradients only come near, depending on their parameters. The
// next test compares them with differences of their own solutions.
func TestMethodsAgreeWithCentralDifferences(t *testing.T) {
	within := map[string]float64{"closed form": 1e-8, "closed form, factored": 1e-8, "reverse mode": 1e-8,
		"cone program": 1e-4,
		"unrolled":     1e-6, "implicit, smoothed": 1e-2, "unrolled, explicit": 1e-6, "implicit, explicit": 1e-2}
	methods := []Method{&Corollary{}, &Factored{}, &Reverse{}, &Cone{}, &Unrolled{Iterations: 1000},
		&Unrolled{Iterations: 1000, Explicit: true},
		&Implicit{Epsilon: 1e-6}, &Implicit{Epsilon: 1e-6, Explicit: true}}
	checked := 0
	for seed := range uint64(6) {
		p := problem(16, 16, seed)
		want, ok := CentralDifferences(p, 1e-6)
		if !ok {
			continue
		}
		checked++
		for _, m := range methods {
			if _, err := m.Solve(p); err != nil {
				t.Fatal(m.Name(), err)
			}
			got, err := m.Gradient()
			if err != nil {
				t.Fatal(m.Name(), err)
			}
			if d := relative(got, want); !(d < within[m.Name()]) {
				t.Errorf("seed %d: %s differs by %.2g", seed, m.Name(), d)
			}
		}
	}
	if checked < 3 {
		t.Errorf("only %d problems had no kink", checked)
	}
}

// Each gradient is exact for the solution that the method itself finds.
func TestGradientsAreExactForTheirOwnSolution(t *testing.T) {
	for _, m := range []Method{&Unrolled{Iterations: 7, Penalty: 3},
		&Unrolled{Iterations: 7, Penalty: 3, Explicit: true}, &Implicit{Epsilon: 0.05},
		&Implicit{Epsilon: 0.05, Explicit: true}} {
		p := problem(9, 8, 3)
		loss := func() float64 {
			x, err := m.Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			d := floats.Distance(x, p.Target, 2)
			return d * d / 2
		}
		loss()
		got, err := m.Gradient()
		if err != nil {
			t.Fatal(err)
		}
		const h = 1e-5
		for i, v := range p.W.W {
			p.W.W[i] = v + h
			above := loss()
			p.W.W[i] = v - h
			want := (above - loss()) / (2 * h)
			p.W.W[i] = v
			if math.Abs(got.W[i]-want) > 1e-7 {
				t.Fatalf("%s: element %d is %g, want %g", m.Name(), i, got.W[i], want)
			}
		}
	}
}

func TestConeFindsTheSolution(t *testing.T) {
	for seed := range uint64(5) {
		p := problem(12, 12, seed)
		var e exact
		want, _ := e.Solve(p)
		got, err := new(Cone).Solve(p)
		if err != nil || floats.Distance(got, want, math.Inf(1)) > 1e-6 {
			t.Errorf("seed %d: error %v, solution differs by %g", seed, err, floats.Distance(got, want, math.Inf(1)))
		}
	}
}

func TestDependentRowsGiveAnError(t *testing.T) {
	p := problem(8, 8, 1)
	p.W = p.W.Scale(40) // so strong that all of W x* is zero
	copy(p.W.Row(1), p.W.Row(0))
	var r Reverse
	r.Solve(p)
	if _, err := r.Gradient(); err == nil {
		t.Error("no error for dependent rows")
	}
}
