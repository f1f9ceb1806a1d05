package bilevel

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// Solver solves the lower-level problem min_x 1/2 ||x - y||^2 + ||W x||_1 exactly, in float64. ADMM alone finds the
// sign pattern slowly, so a few of its iterations only give a first guess, which is then repaired:
//
//  1. A few ADMM iterations on a whole panel of signals. Rows whose dual lies strictly between its bounds form the
//     first guess of W_0. This needs no threshold on W x.
//  2. Primal-dual active-set steps (activeset.go): compute the closed form for the pattern, move the rows that violate
//     the KKT conditions to the other set, repeat. If k <= n, one or two steps nearly always suffice.
//  3. If they would cycle, a descent method that always ends (bvls.go) starts from ADMM's dual. It needs few pivots
//     from there.
//
// The steps work on coefficients and the Gram matrix W W', so each touches only vectors of length K and the factor of
// W_0 W_0'.
//
// A Solver is immutable. Each goroutine needs its own Workspace.
type Solver struct {
	w     solve.Transform
	gram  []float64 // W W'
	rows  []int     // rows of W that are not zero; rows of zeros have no effect and are skipped everywhere
	panel *solve.PanelSolver
}

// admmSchedule returns the schedule of step 1. With more rows than columns ADMM needs far more iterations, and comes
// closest to the right pattern if rho rises slowly.
func admmSchedule(k, n int) solve.Schedule {
	if k > n {
		return solve.Schedule{Iterations: 100, RhoStart: 0.7, RhoEnd: 16, Ramp: 75, Relaxation: 1.9}
	}
	return solve.Schedule{Iterations: 16, RhoStart: 0.7, RhoEnd: 4, Ramp: 8, Relaxation: 1.7}
}

// NewSolver prepares the solver for a transform. It keeps w and does not copy it.
func NewSolver(w solve.Transform) *Solver {
	solver := newSolver(w)
	solver.panel = solve.NewPanelSolver(w, admmSchedule(w.K, w.N))
	return solver
}

// newSolver prepares everything but step 1.
func newSolver(w solve.Transform) *Solver {
	solver := &Solver{w: w, gram: gramOf(w)}
	for i := range w.K {
		if solver.gram[i*w.K+i] > 0 {
			solver.rows = append(solver.rows, i)
		}
	}
	return solver
}

// gramOf returns W W', K x K.
func gramOf(w solve.Transform) []float64 {
	var gram mat.Dense
	dense := mat.NewDense(w.K, w.N, w.W)
	gram.Mul(dense, dense.T())
	return gram.RawMatrix().Data
}

// Method says which step of the Solver found the solution.
type Method int

// NotConverged means that no step found a pattern that satisfies the KKT conditions.
const (
	ActiveSet Method = iota
	BoundedLeastSquares
	NotConverged
)

// Solution is the exact solution of one lower-level problem, with what its gradient needs. Its slices belong to the
// Workspace and are valid until the next signal.
type Solution struct {
	X       []float64 // x*, N samples
	Dual    []float64 // u with y - x* = W'u, one for each of the K rows
	Pattern []int8    // c(W) = sign(W x*): -1, 0 or +1 for each row of W
	Method  Method
	Steps   int // active-set steps or pivots

	w      solve.Transform
	factor *cholesky // of independent rows that span W_0
	a      []float64 // scratch: k
}

// Workspace is the scratch memory of one goroutine. It serves all solvers of one size.
type Workspace struct {
	scratch *solve.PanelScratch
	panelY  []float32
	panelU  []float32
	y       []float64 // the signal being solved
	c, h    []float64 // k: coefficients W q of an intermediate q, and W x
	step    []float64 // k: right-hand sides and their solutions
	start   []float64 // k: ADMM's dual
	zero    []int
	moved   []int
	resting []int
	sol     Solution
	tol     float64
}

// NewWorkspace returns memory for one goroutine.
func (s *Solver) NewWorkspace() *Workspace {
	ws := s.newWorkspace()
	ws.scratch = s.panel.NewScratch()
	ws.panelY, ws.panelU = make([]float32, s.w.N*solve.Lanes), make([]float32, s.w.K*solve.Lanes)
	return ws
}

func (s *Solver) newWorkspace() *Workspace {
	k, n := s.w.K, s.w.N
	ints, vectors := make([]int, 3*k), make([]float64, 6*k)
	vector := func(i int) []float64 { return vectors[i*k : (i+1)*k] }
	return &Workspace{
		c: vector(0), h: vector(1), step: vector(2), start: vector(3), zero: ints[:0:k], moved: ints[k : k : 2*k],
		resting: ints[2*k : 2*k],
		sol: Solution{X: make([]float64, n), Dual: vector(4), Pattern: make([]int8, k),
			w: s.w, a: vector(5), factor: newCholesky(s.gram, k, n)},
	}
}

// Solve solves up to solve.Lanes problems. y holds their signals of N samples one after the other. Solve calls visit
// with the number and the solution of each, in order.
func (s *Solver) Solve(ws *Workspace, y []float64, visit func(i int, sol *Solution)) {
	n := s.w.N
	count := len(y) / n
	ws.attach(s)
	clear(ws.panelY)
	for l := range count {
		for i, v := range y[l*n : (l+1)*n] {
			ws.panelY[i*solve.Lanes+l] = float32(v)
		}
	}
	s.panel.SolveDual(ws.panelU, ws.panelY, ws.scratch)
	for l := range count {
		ws.y = y[l*n : (l+1)*n]
		for i := range ws.sol.Dual {
			ws.sol.Dual[i] = float64(ws.panelU[i*solve.Lanes+l])
		}
		s.repair(ws)
		visit(l, &ws.sol)
	}
}

// attach makes a workspace serve another transform of the same size.
func (ws *Workspace) attach(s *Solver) { ws.sol.w, ws.sol.factor.gram = s.w, s.gram }

// repair turns the ADMM dual in the workspace into an exact solution.
func (s *Solver) repair(ws *Workspace) {
	ws.tol = 1e-11 * max(1, floats.Norm(ws.y, math.Inf(1)))
	copy(ws.start, ws.sol.Dual)
	ws.sol.Method = ActiveSet
	if !s.activeSet(ws) {
		copy(ws.sol.Dual, ws.start)
		ws.sol.Method = BoundedLeastSquares
		if !s.boundedLeastSquares(ws) {
			ws.sol.Method = NotConverged
		}
	}
	s.primal(ws)
}

// primal sets x = y - W'u.
func (s *Solver) primal(ws *Workspace) {
	copy(ws.sol.X, ws.y)
	blas64.Gemv(blas.Trans, -1, s.matrix(), vector(ws.sol.Dual), 1, vector(ws.sol.X))
}

// analyze sets z = W x.
func (s *Solver) analyze(z, x []float64) {
	blas64.Gemv(blas.NoTrans, 1, s.matrix(), vector(x), 0, vector(z))
}

func (s *Solver) matrix() blas64.General {
	return blas64.General{Rows: s.w.K, Cols: s.w.N, Stride: s.w.N, Data: s.w.W}
}

func (s *Solver) gramRow(i int) []float64 { return s.gram[i*s.w.K : (i+1)*s.w.K] }
