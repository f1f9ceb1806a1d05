package solve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func randomTransform(k, n int, scale float64, seed uint64) Transform {
	rng := rand.New(rand.NewPCG(seed, 7))
	t := NewTransform(k, n)
	for i := range t.W {
		t.W[i] = scale * rng.NormFloat64()
	}
	return t
}

func randomSignal(n int, scale float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 8))
	y := make([]float64, n)
	for i := range y {
		y[i] = scale * rng.NormFloat64()
	}
	return y
}

func long() Schedule {
	return Schedule{Iterations: 3000, RhoStart: 0.7, RhoEnd: 2, Ramp: 8, Relaxation: 1.7}
}

func maxDiff(a, b []float64) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// referenceADMM runs ADMM as it is written in S. Boyd et al., "Distributed optimization and statistical learning via
// ADMM", 2011, sections 3.4.3 and 6.4, in float64, on the scaled rows in their eigenbasis. It starts at x = y. The dual
// u has y - x = W'u at the solution.
//
//	x-update  x = (I + rho W'W)^-1 (y + rho W'z - W'u)
//	z-update  z = S_(1/rho)(h + u/rho) of h = a W x + (1 - a) z
//	dual      u = u + rho (h - z)
func referenceADMM(w Transform, s Schedule, y []float64) (x, dual []float64) {
	b := newEigenbasis(w)
	of := func(m mat.Matrix, v []float64) []float64 {
		var out mat.VecDense
		out.MulVec(m, mat.NewVecDense(len(v), v))
		return out.RawVector().Data
	}
	ye := of(b.rotate.T(), y)
	xe, z, u := slices.Clone(ye), make([]float64, b.k), make([]float64, b.k)
	split := func(a, rho float64) {
		for i, wx := range of(b.rows, xe) {
			h := a*wx + (1-a)*z[i] + u[i]/rho
			z[i] = softThreshold(h, b.bounds[i]/rho)
			u[i] = rho * (h - z[i])
		}
	}
	split(1, s.Rho(0))
	for t := range s.Iterations {
		rho, pull := s.Rho(t), make([]float64, b.k)
		for i := range pull {
			pull[i] = rho*z[i] - u[i]
		}
		for j, v := range of(b.rows.T(), pull) {
			xe[j] = (ye[j] + v) / (1 + rho*b.eigen[j])
		}
		split(s.Relaxation, rho)
	}
	for i, bound := range b.bounds {
		if bound > 0 {
			u[i] /= bound
		}
	}
	return of(b.rotate, xe), u
}

func softThreshold(v, t float64) float64 { return max(v-t, 0) + min(v+t, 0) }

// The dual certificate proves a solution without another solver: y - x = W'u, |u| <= 1, u'Wx = ||Wx||_1.
func TestReferenceHasADualCertificate(t *testing.T) {
	for _, size := range [][2]int{{8, 8}, {5, 12}, {36, 36}, {48, 16}} {
		w := randomTransform(size[0], size[1], 0.3, 4)
		y := randomSignal(size[1], 3, 5)
		x, dual := referenceADMM(w, Schedule{Iterations: 20000, RhoStart: 1, RhoEnd: 1, Relaxation: 1.7}, y)
		wu, z := make([]float64, w.N), make([]float64, w.K)
		w.AnalyzeAdjoint(wu, dual)
		w.Analyze(z, x)
		gap := 0.0
		for i, u := range dual {
			if math.Abs(u) > 1+1e-12 {
				t.Errorf("%v: |u_%d| = %g", size, i, u)
			}
			gap += math.Abs(z[i]) - u*z[i]
		}
		for i := range y {
			if d := y[i] - x[i] - wu[i]; math.Abs(d) > 1e-8 {
				t.Errorf("%v: y - x - W'u = %g", size, d)
			}
		}
		if gap > 1e-8 {
			t.Errorf("%v: ||Wx||_1 - u'Wx = %g", size, gap)
		}
	}
}

func TestPanelSolverIsADMM(t *testing.T) {
	for _, size := range [][2]int{{64, 64}, {63, 63}, {63, 64}, {192, 64}, {1, 1}, {3, 5}, {5, 2}} {
		for _, iterations := range []int{1, 2, 12, 40} {
			w := randomTransform(size[0], size[1], 0.2, 3)
			clear(w.Row(size[0] / 2)[:1])
			s := DefaultSchedule()
			s.Iterations = iterations
			comparePanel(t, w, s)
		}
	}
}

func comparePanel(t *testing.T, w Transform, s Schedule) {
	t.Helper()
	p := NewPanelSolver(w, s)
	panel, u := make([]float32, w.N*Lanes), make([]float32, w.K*Lanes)
	signals := make([][]float64, Lanes)
	for l := range signals {
		signals[l] = randomSignal(w.N, 1+float64(l), uint64(l))
		for i, v := range signals[l] {
			panel[i*Lanes+l] = float32(v)
		}
	}
	single := slices.Clone(panel)
	scratch := p.NewScratch()
	p.SolveDual(u, panel, scratch)
	p.Solve(panel, scratch)
	q := NewCoefficientSolver(w, s)
	q.Solve(single, q.NewScratch())
	for l, y := range signals {
		want, dual := referenceADMM(w, s, y)
		tol := 2e-5 * float64(l+10)
		for i, x := range want {
			for _, got := range [][]float32{panel, single} {
				if d := math.Abs(x - float64(got[i*Lanes+l])); !(d < tol) {
					t.Fatalf("%d x %d, %d iterations: x differs by %g", w.K, w.N, s.Iterations, d)
				}
			}
		}
		for i, d := range dual {
			if d := math.Abs(d - float64(u[i*Lanes+l])); !(d < tol*10) {
				t.Fatalf("%d x %d, %d iterations: dual differs by %g", w.K, w.N, s.Iterations, d)
			}
		}
	}
}

func TestNewSolverTakesTheSmallerProducts(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		single bool
	}{{63, 64, true}, {127, 64, true}, {128, 64, false}, {192, 64, false}} {
		s := DefaultSchedule()
		if _, single := NewSolver(randomTransform(c.k, c.n, 0.2, 3), s).(*CoefficientSolver); single != c.single {
			t.Errorf("%d x %d: one product for each iteration is %v", c.k, c.n, single)
		}
	}
}

func TestSolversRefuseScratchMemoryOfAnotherSize(t *testing.T) {
	for _, k := range []int{63, 192} {
		s := NewSolver(randomTransform(k, 64, 0.2, 3), DefaultSchedule())
		other := NewSolver(randomTransform(k-1, 64, 0.2, 3), DefaultSchedule())
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d rows: no panic", k)
				}
			}()
			s.Solve(make([]float32, 64*Lanes), other.NewScratch())
		}()
	}
}

func TestZeroRowsDoNothing(t *testing.T) {
	w := randomTransform(6, 6, 0.5, 1)
	clear(w.Row(2))
	without := Transform{5, 6, append(append([]float64(nil), w.W[:12]...), w.W[18:]...)}
	y := randomSignal(6, 2, 1)
	of := func(w Transform) []float64 {
		x, _ := referenceADMM(w, long(), y)
		return x
	}
	if d := maxDiff(of(w), of(without)); d > 1e-9 {
		t.Errorf("a row of zeros changes the solution by %g", d)
	}
	if d := maxDiff(of(NewTransform(3, 6)), y); d > 1e-12 {
		t.Errorf("W = 0 changes the signal by %g", d)
	}
}
