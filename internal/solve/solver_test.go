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

func randomOrthonormal(n int, seed uint64) Transform {
	a := randomTransform(n, n, 1, seed)
	var qr mat.QR
	qr.Factorize(mat.NewDense(n, n, a.W))
	var q mat.Dense
	qr.QTo(&q)
	return Transform{n, n, q.RawMatrix().Data}
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

func TestADMMOrthonormalIsSoftThresholding(t *testing.T) {
	for seed := range uint64(20) {
		w := randomOrthonormal(16, seed).Scale(0.7)
		y := randomSignal(16, 2, seed)
		want := make([]float64, 16)
		SolveOrthonormal(want, w, y)
		if d := maxDiff(NewADMM(w, long()).Solve(y).X, want); d > 1e-9 {
			t.Errorf("seed %d: ADMM is %g away from W' S(Wy)", seed, d)
		}
	}
}

func TestADMMScalar(t *testing.T) {
	for _, w := range []float64{0, 0.3, -0.3, 1, 2.5, -4} {
		for _, y := range []float64{-3, -1, -0.2, 0, 0.29, 0.31, 1, 5} {
			got := NewADMM(Transform{1, 1, []float64{w}}, long()).Solve([]float64{y}).X[0]
			if want := SolveScalar(w, y); math.Abs(got-want) > 1e-9 {
				t.Errorf("w = %g, y = %g: ADMM gives %.12g, the closed form %.12g", w, y, got, want)
			}
		}
	}
}

// The dual certificate proves a solution without another solver: y - x = W'u, |u| <= 1, u'Wx = ||Wx||_1.
func TestADMMHasADualCertificate(t *testing.T) {
	for _, size := range [][2]int{{8, 8}, {5, 12}, {36, 36}, {48, 16}} {
		w := randomTransform(size[0], size[1], 0.3, 4)
		y := randomSignal(size[1], 3, 5)
		r := NewADMM(w, Schedule{Iterations: 20000, RhoStart: 1, RhoEnd: 1, Relaxation: 1.7}).Solve(y)
		wu, z := make([]float64, w.N), make([]float64, w.K)
		w.AnalyzeAdjoint(wu, r.Dual)
		w.Analyze(z, r.X)
		gap := 0.0
		for i, u := range r.Dual {
			if math.Abs(u) > 1+1e-12 {
				t.Errorf("%v: |u_%d| = %g", size, i, u)
			}
			gap += math.Abs(z[i]) - u*z[i]
		}
		for i := range y {
			if d := y[i] - r.X[i] - wu[i]; math.Abs(d) > 1e-8 {
				t.Errorf("%v: y - x - W'u = %g", size, d)
			}
		}
		if gap > 1e-8 {
			t.Errorf("%v: ||Wx||_1 - u'Wx = %g", size, gap)
		}
	}
}

func TestADMMObjectiveIsNotAboveALongRun(t *testing.T) {
	w, y := randomTransform(40, 25, 0.4, 1), randomSignal(25, 3, 2)
	reference := w.Objective(y, NewADMM(w, Schedule{Iterations: 50000, RhoStart: 1, RhoEnd: 1,
		Relaxation: 1}).Solve(y).X)
	for _, s := range []Schedule{long(), {Iterations: 5000, RhoStart: 0.2, RhoEnd: 3, Ramp: 20, Relaxation: 1.5}} {
		if o := w.Objective(y, NewADMM(w, s).Solve(y).X); o > reference*(1+1e-9) {
			t.Errorf("objective %.12g after %+v, %.12g in the reference run", o, s, reference)
		}
	}
	perturbed := NewADMM(w, long()).Solve(y).X
	for i := range perturbed {
		perturbed[i] += 1e-3
	}
	if w.Objective(y, perturbed) <= reference {
		t.Error("a perturbed solution has no larger objective")
	}
}

func TestADMMSaysWhyItStopped(t *testing.T) {
	w, y := randomTransform(16, 16, 0.4, 1), randomSignal(16, 3, 2)
	a := NewADMM(w, long())
	a.Tolerance = 1e-8
	r := a.Solve(y)
	if r.Status != Converged || r.Iterations >= 3000 || r.PrimalResidual > 1e-8 || r.DualResidual > 1e-8 {
		t.Errorf("with a tolerance: %v", r)
	}
	a.Iterations = 3
	if r := a.Solve(y); r.Status != MaxIterations || r.Iterations != 3 || r.PrimalResidual < 1e-8 {
		t.Errorf("with 3 iterations: %v", r)
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
	p, a := NewPanelSolver(w, s), NewADMM(w, s)
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
		r := a.Solve(y)
		tol := 2e-5 * float64(l+10)
		for i, x := range r.X {
			for _, got := range [][]float32{panel, single} {
				if d := math.Abs(x - float64(got[i*Lanes+l])); !(d < tol) {
					t.Fatalf("%d x %d, %d iterations: x differs by %g", w.K, w.N, s.Iterations, d)
				}
			}
		}
		for i, d := range r.Dual {
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
	if d := maxDiff(NewADMM(w, long()).Solve(y).X, NewADMM(without, long()).Solve(y).X); d > 1e-9 {
		t.Errorf("a row of zeros changes the solution by %g", d)
	}
	if d := maxDiff(NewADMM(NewTransform(3, 6), long()).Solve(y).X, y); d > 1e-12 {
		t.Errorf("W = 0 changes the signal by %g", d)
	}
}
