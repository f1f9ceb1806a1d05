package train

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// PairSolver solves the lower-level problem of a non-local stage exactly, in float64:
//
//	min_x 1/2 ||x - y||^2 + sum_i d_i |w_i x| + e_i |w_i (x - p)|
//
// The optimality conditions are y - x = W'u with u_i in the subdifferential of row i's penalty at w_i x. With the
// segments known they are the closed form with other numbers: x = y - W_±'s - W_0' a, where s are the slopes of the even
// segments and a = (W_0 W_0')^-1 (W_0 (y - W_±'s) - kinks). From a guess, segments are repaired by block principal
// pivoting (Júdice, Pires: A block principal pivoting algorithm for large-scale strictly monotone linear complementarity
// problems, Computers & Operations Research, 1994): move all rows that violate their condition as long as there are fewer
// and fewer of them, else only the last one, which ends where rows are independent.
type PairSolver struct {
	w    solve.Transform
	gram []float64 // W W'
}

// NewPairSolver prepares the solver for a transform of at most as many rows as columns.
func NewPairSolver(w solve.Transform) *PairSolver {
	var gram mat.Dense
	dense := mat.NewDense(w.K, w.N, w.W)
	gram.Mul(dense, dense.T())
	return &PairSolver{w, gram.RawMatrix().Data}
}

// PairSolution is the solution of one problem, and what its gradient needs. It points into the workspace that made it.
type PairSolution struct {
	Dual      []float64 // u with y - x* = W'u
	Segments  []segment
	Converged bool // the optimality conditions hold; else the best that was found
	Pivots    int

	factor *cholesky // of W_0 W_0'
}

// Free is the number of rows outside the zero set: of the dimensions of x* if the rows are independent.
func (s *PairSolution) Free() int { return len(s.Segments) - len(s.factor.rows) }

// guess sets the segments to those that the rows would have if they were orthogonal.
func (s *PairSolver) guess(ws *pairWorkspace, wy []float64, rows []penalty) {
	for i, g := range rows {
		ws.sol.Segments[i] = g.scalarSegment(wy[i], s.gram[i*s.w.K+i])
	}
}

// pairWorkspace is the memory of one goroutine for one problem at a time.
type pairWorkspace struct {
	sol   PairSolution
	c, h  []float64 // W (y - W_±'s), and W x
	step  []float64
	zero  []int
	moved []int
	tol   float64
}

func (s *PairSolver) newWorkspace() *pairWorkspace {
	k, n := s.w.K, s.w.N
	return &pairWorkspace{c: make([]float64, k), h: make([]float64, k), step: make([]float64, k),
		sol: PairSolution{Dual: make([]float64, k), Segments: make([]segment, k), factor: newCholesky(s.gram, k, n)}}
}

// maxPivots ends what rounding keeps from ending: dependent rows, or coefficients that lie on a kink by chance.
const maxPivots = 300

// patience is how many block moves that lower the number of violations no further are tried before single moves.
const patience = 5

// solve finds the solution of the problem with coefficients wy = W y from the guess in ws.sol.Segments.
func (s *PairSolver) solve(ws *pairWorkspace, wy []float64, rows []penalty) *PairSolution {
	sol := &ws.sol
	s.prepare(ws, wy, rows)
	fewest, left := len(rows)+1, patience
	for sol.Pivots = 0; sol.Pivots < maxPivots; sol.Pivots++ {
		s.solveKinks(ws, rows)
		count := s.violations(ws, rows)
		sol.Converged = count == 0
		if sol.Converged {
			break
		}
		switch {
		case count < fewest:
			fewest, left = count, patience
		case left > 0:
			left--
		default:
			ws.moved = ws.moved[count-1:]
		}
		s.pivot(ws, rows)
	}
	s.refine(ws, rows)
	return sol
}

// confine moves the duals of a solution that did not converge into their ranges. Any such dual bounds how far x = y - W'u
// is from y, while the closed form of segments that do not belong together may be far off.
func (s *PairSolution) confine(rows []penalty) {
	for i, seg := range s.Segments {
		if seg.onKink() {
			lo, hi := rows[i].dualRange(seg)
			s.Dual[i] = max(lo, min(s.Dual[i], hi))
		}
	}
}

// closedForm finds what would be the solution if the segments in ws.sol.Segments were those of the solution, and whether
// they are.
func (s *PairSolver) closedForm(ws *pairWorkspace, wy []float64, rows []penalty) *PairSolution {
	s.prepare(ws, wy, rows)
	s.solveKinks(ws, rows)
	ws.sol.Pivots, ws.sol.Converged = 0, s.violations(ws, rows) == 0
	s.refine(ws, rows)
	return &ws.sol
}

// prepare sets c, the duals of the even segments and the factor of the zero set.
func (s *PairSolver) prepare(ws *pairWorkspace, wy []float64, rows []penalty) {
	sol := &ws.sol
	sol.factor.gram = s.gram
	ws.tol = 1e-10 * max(1, floats.Norm(wy, math.Inf(1)))
	copy(ws.c, wy)
	for i, g := range rows {
		if !sol.Segments[i].onKink() {
			sol.Dual[i] = g.slope(sol.Segments[i])
			floats.AddScaled(ws.c, -sol.Dual[i], s.gramRow(i))
		}
	}
	s.factorize(ws)
}

func (s *PairSolver) gramRow(i int) []float64 { return s.gram[i*s.w.K : (i+1)*s.w.K] }

func (s *PairSolver) factorize(ws *pairWorkspace) {
	ws.zero = ws.zero[:0]
	for i, seg := range ws.sol.Segments {
		if seg.onKink() {
			ws.zero = append(ws.zero, i)
		}
	}
	ws.sol.factor.set(ws.zero)
}

// solveKinks sets the duals of the zero set and h = W x.
func (s *PairSolver) solveKinks(ws *pairWorkspace, rows []penalty) {
	f := ws.sol.factor
	a := ws.step[:len(f.rows)]
	for j, i := range f.rows {
		a[j] = ws.c[i] - rows[i].kink(ws.sol.Segments[i])
	}
	f.solve(a)
	copy(ws.h, ws.c)
	for j, i := range f.rows {
		ws.sol.Dual[i] = a[j]
		floats.AddScaled(ws.h, -a[j], s.gramRow(i))
	}
}

// violations lists the rows whose condition does not hold in ws.moved.
func (s *PairSolver) violations(ws *pairWorkspace, rows []penalty) int {
	ws.moved = ws.moved[:0]
	for i, g := range rows {
		if seg := ws.sol.Segments[i]; g.repair(seg, ws.value(i), ws.tol) != seg {
			ws.moved = append(ws.moved, i)
		}
	}
	return len(ws.moved)
}

// value is what decides whether row i stays where it is.
func (ws *pairWorkspace) value(i int) float64 {
	if ws.sol.Segments[i].onKink() {
		return ws.sol.Dual[i]
	}
	return ws.h[i]
}

// pivot moves the rows in ws.moved to the neighbouring segments and brings c and the factor up to date.
func (s *PairSolver) pivot(ws *pairWorkspace, rows []penalty) {
	sol := &ws.sol
	few := 8*len(ws.moved) <= len(sol.factor.rows)
	for _, i := range ws.moved {
		g, old := rows[i], sol.Segments[i]
		before := 0.0
		if !old.onKink() {
			before = g.slope(old)
		}
		seg := g.repair(old, ws.value(i), ws.tol)
		sol.Segments[i] = seg
		after := 0.0
		if !seg.onKink() {
			after = g.slope(seg)
			sol.Dual[i] = after
		}
		floats.AddScaled(ws.c, before-after, s.gramRow(i))
		if place := slices.Index(sol.factor.rows, i); few && place >= 0 {
			sol.factor.remove(place)
		}
	}
	if !few {
		s.factorize(ws)
		return
	}
	for _, i := range ws.moved {
		if sol.Segments[i].onKink() {
			sol.factor.add(i)
		}
	}
}

// refine removes what rounding left of the equations of the zero set: one step of iterative refinement.
func (s *PairSolver) refine(ws *pairWorkspace, rows []penalty) {
	f := ws.sol.factor
	da := ws.step[:len(f.rows)]
	for j, i := range f.rows {
		da[j] = ws.h[i] - rows[i].kink(ws.sol.Segments[i])
	}
	f.solve(da)
	for j, i := range f.rows {
		ws.sol.Dual[i] += da[j]
	}
}

// primal sets x = y - W'u.
func (s *PairSolver) primal(x, y, dual []float64) {
	copy(x, y)
	blas64.Gemv(blas.Trans, -1, blas64.General{Rows: s.w.K, Cols: s.w.N, Stride: s.w.N, Data: s.w.W}, vector(dual), 1, vector(x))
}
