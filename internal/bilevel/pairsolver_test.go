package bilevel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// nearlyDCT returns a 64 x 64 transform close to the DCT with its constant row.
func nearlyDCT(rng *rand.Rand, spread float64) solve.Transform {
	w := solve.DCTBasisWithMean(8)
	for i := range w.W {
		w.W[i] += spread * rng.NormFloat64()
	}
	return w
}

// pairProblem is a random lower-level problem with a pilot.
type pairProblem struct {
	w    solve.Transform
	y, p []float64
	rows []Penalty
	wy   []float64
}

func newPairProblem(rng *rand.Rand, w solve.Transform) pairProblem {
	t := pairProblem{w: w, y: make([]float64, w.N), p: make([]float64, w.N), rows: make([]Penalty, w.K),
		wy: make([]float64, w.K)}
	wp := make([]float64, w.K)
	for i := range t.y {
		t.p[i] = 3 * rng.NormFloat64()
		t.y[i] = t.p[i] + rng.NormFloat64()
	}
	w.Analyze(wp, t.p)
	w.Analyze(t.wy, t.y)
	for i := range t.rows {
		t.rows[i] = Penalty{math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64() - 0.5), wp[i]}
		if rng.IntN(20) == 0 {
			t.rows[i].P = 0
		}
	}
	return t
}

// closedForm computes the closed form for the segments in ws.sol.Segments. It is the solution if Converged is set.
func (s *PairSolver) closedForm(ws *PairWorkspace, wy []float64, rows []Penalty) *PairSolution {
	s.prepare(ws, wy, rows)
	s.solveKinks(ws, rows)
	ws.sol.Pivots, ws.sol.Converged = 0, s.violations(ws, rows) == 0
	s.refine(ws, rows)
	return &ws.sol
}

// primal sets x = y - W'u.
func (s *PairSolver) primal(x, y, dual []float64) {
	copy(x, y)
	blas64.Gemv(blas.Trans, -1, blas64.General{Rows: s.w.K, Cols: s.w.N, Stride: s.w.N, Data: s.w.W}, vector(dual), 1,
		vector(x))
}

// startAnywhere sets random segments.
func startAnywhere(rng *rand.Rand, segments []Segment, rows []Penalty) {
	for i, g := range rows {
		segments[i] = Segment(rng.IntN(5))
		if g.P == 0 && (segments[i] == between || segments[i] == onUpper) {
			segments[i] = onLower
		}
	}
}

// violation returns by how much x and u violate the optimality conditions.
func (t pairProblem) violation(x, u []float64) (worst float64) {
	z, wu := make([]float64, t.w.K), make([]float64, t.w.N)
	t.w.Analyze(z, x)
	t.w.AnalyzeAdjoint(wu, u)
	for j := range x {
		worst = max(worst, math.Abs(t.y[j]-x[j]-wu[j]))
	}
	for i, g := range t.rows { // u is a subgradient of g at z: for all v, g(v) >= g(z) + u (v - z)
		value := func(v float64) float64 { return g.D*math.Abs(v) + g.E*math.Abs(v-g.P) }
		for _, v := range []float64{0, g.P, g.P / 2, z[i] - 1, z[i] + 1, -100, 100} {
			worst = max(worst, (value(z[i])+u[i]*(v-z[i])-value(v))/max(1, math.Abs(v-z[i])))
		}
	}
	return worst
}

func TestPairSolverFromAnyStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pivots := 0
	const count = 300
	for range count {
		problem := newPairProblem(rng, nearlyDCT(rng, 0.05))
		s := NewPairSolver(problem.w)
		ws := s.NewWorkspace()
		startAnywhere(rng, ws.sol.Segments, problem.rows)
		sol := s.solve(ws, problem.wy, problem.rows)
		x := make([]float64, problem.w.N)
		s.primal(x, problem.y, sol.Dual)
		if v := problem.violation(x, sol.Dual); !sol.Converged || v > 1e-9 {
			t.Fatalf("converged %v after %d pivots, violation %g", sol.Converged, sol.Pivots, v)
		}
		pivots += sol.Pivots
	}
	t.Logf("%.1f pivots on average", float64(pivots)/count)
}

// Without a pull to the pilot (E = 0) the problem is that of local stages.
func TestPairSolverAgreesWithSolver(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	w := nearlyDCT(rng, 0.05)
	y := make([]float64, w.N)
	for i := range y {
		y[i] = 2 * rng.NormFloat64()
	}
	exact := NewSolver(w)
	var want []float64
	exact.Solve(exact.NewWorkspace(), y, func(_ int, sol *Solution) { want = append(want, sol.X...) })
	s := NewPairSolver(w)
	ws := s.NewWorkspace()
	rows, wy, x := make([]Penalty, w.K), make([]float64, w.K), make([]float64, w.N)
	for i := range rows {
		rows[i] = Penalty{D: 1, E: 0, P: 5}
	}
	w.Analyze(wy, y)
	sol := s.solve(ws, wy, rows)
	s.primal(x, y, sol.Dual)
	for i := range x {
		if math.Abs(x[i]-want[i]) > 1e-9 {
			t.Fatalf("sample %d: %g, want %g", i, x[i], want[i])
		}
	}
}

// The duals of a confined solution are bounded by the penalties for any segments.
func TestConfinedSolutionsAreBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	w := nearlyDCT(rng, 0.05)
	copy(w.Row(1), w.Row(0))
	w.Row(1)[3] += 1e-9 // with both rows in the zero set, their equations have no reasonable solution
	s := NewPairSolver(w)
	ws := s.NewWorkspace()
	problem := newPairProblem(rng, w)
	for i := range problem.rows {
		ws.sol.Segments[i] = Segment(2*rng.IntN(2) + 1)
	}
	sol := s.closedForm(ws, problem.wy, problem.rows)
	if sol.Converged {
		t.Fatal("random segments satisfy the conditions")
	}
	sol.Confine(problem.rows)
	for i, g := range problem.rows {
		if u := sol.Dual[i]; !(math.Abs(u) <= g.D+g.E) {
			t.Errorf("row %d: dual %g beyond %g + %g", i, u, g.D, g.E)
		}
	}
}

func TestFastPairSolverIsCloseToTheExactSolution(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	w := nearlyDCT(rng, 0.05)
	s := NewPairSolver(w)
	ws := s.NewWorkspace()
	for _, c := range []struct {
		schedule solve.Schedule
		limit    float64 // largest root mean square error, in units of sigma
	}{
		{solve.Schedule{Iterations: 12, RhoStart: 0.5, RhoEnd: 3, Ramp: 8, Relaxation: 1.7}, 0.05},
		{solve.Schedule{Iterations: 300, RhoStart: 0.5, RhoEnd: 1, Ramp: 100, Relaxation: 1.7}, 1e-4},
	} {
		fast := solve.NewPairPanelSolver(w, c.schedule)
		scratch := fast.NewScratch()
		problems := make([]pairProblem, solve.Lanes)
		for l := range problems {
			problems[l] = newPairProblem(rng, w)
			for j := range w.N {
				scratch.Y[j*solve.Lanes+l], scratch.P[j*solve.Lanes+l] = float32(problems[l].y[j]),
					float32(problems[l].p[j])
			}
			for i := range problems[l].rows {
				g := &problems[l].rows[i]
				g.P = 0
				for j, v := range w.Row(i) {
					g.P += v * problems[l].p[j]
				}
				scratch.D[i*solve.Lanes+l], scratch.E[i*solve.Lanes+l] = float32(g.D), float32(g.E)
			}
		}
		fast.Analyze(scratch)
		fast.Solve(scratch)
		sum, wrong := 0.0, 0
		x := make([]float64, w.N)
		for l, p := range problems {
			s.guess(ws, p.wy, p.rows)
			guess := append([]Segment(nil), ws.sol.Segments...)
			sol := s.solve(ws, p.wy, p.rows)
			s.primal(x, p.y, sol.Dual)
			for j, v := range x {
				e := float64(scratch.Y[j*solve.Lanes+l]) - v
				sum += e * e
			}
			for i, seg := range sol.Segments {
				if seg != guess[i] {
					wrong++
				}
			}
		}
		rms := math.Sqrt(sum / float64(solve.Lanes*w.N))
		t.Logf("%d iterations: root mean square error %.2g, %.2f of %d segments guessed wrong per signal",
			c.schedule.Iterations, rms, float64(wrong)/solve.Lanes, w.K)
		if rms > c.limit {
			t.Errorf("%d iterations: root mean square error %g", c.schedule.Iterations, rms)
		}
	}
}

func BenchmarkPairSolver(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	problem := newPairProblem(rng, nearlyDCT(rng, 0.05))
	s := NewPairSolver(problem.w)
	ws := s.NewWorkspace()
	pivots := 0
	for b.Loop() {
		s.guess(ws, problem.wy, problem.rows)
		pivots += s.solve(ws, problem.wy, problem.rows).Pivots
	}
	b.ReportMetric(float64(pivots)/float64(b.N), "pivots")
}
