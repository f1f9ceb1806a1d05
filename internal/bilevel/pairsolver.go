package bilevel

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// PairSolver solves the lower-level problem of a non-local stage exactly, in float64:
//
//	min_x 1/2 ||x - y||^2 + sum_i d_i |w_i x| + e_i |w_i (x - p)|
//
// It is the exact counterpart of solve.PairPanelSolver, which solves the same problem approximately when images are
// denoised. Training needs the exact solution, since its gradient comes from the closed form.
//
// The optimality conditions are y - x = W'u with u_i in the subdifferential of row i's penalty at w_i x. For known
// segments (see Segment) the solution is x = y - W_±'s - W_0' a, where s holds the slopes of the even segments and a =
// (W_0 W_0')^-1 (W_0 (y - W_±'s) - kinks). Wrong segments are repaired by block principal pivoting (Júdice, Pires: A
// block principal pivoting algorithm for large-scale strictly monotone linear complementarity problems, Computers &
// Operations Research, 1994): move all rows that violate their condition as long as their number falls, otherwise only
// the last one. This ends if the rows are independent.
//
// A PairSolver is immutable. Each goroutine needs its own PairWorkspace.
type PairSolver struct {
	w    solve.Transform
	gram []float64 // W W'
}

// NewPairSolver prepares the solver for a transform with at most as many rows as columns. It keeps w and does not copy
// it.
func NewPairSolver(w solve.Transform) *PairSolver {
	return &PairSolver{w, gramOf(w)}
}

// Transform returns the transform that the solver was made for.
func (s *PairSolver) Transform() solve.Transform { return s.w }

// PairSolution is the solution of one problem with what its gradient needs. Its slices belong to the workspace and are
// valid until the workspace solves the next problem.
type PairSolution struct {
	Dual      []float64 // u with y - x* = W'u, one for each row of W
	Segments  []Segment // one for each row of W
	Converged bool      // the optimality conditions hold; otherwise this is the best that was found
	Pivots    int

	factor *cholesky // of W_0 W_0'
}

// PairWorkspace is the scratch memory of one goroutine, for one problem at a time. It serves all solvers of one size.
type PairWorkspace struct {
	sol   PairSolution
	c, h  []float64 // W (y - W_±'s), and W x
	step  []float64
	zero  []int
	moved []int
	tol   float64
}

// NewWorkspace returns memory for one goroutine.
func (s *PairSolver) NewWorkspace() *PairWorkspace {
	k, n := s.w.K, s.w.N
	return &PairWorkspace{c: make([]float64, k), h: make([]float64, k), step: make([]float64, k),
		sol: PairSolution{Dual: make([]float64, k), Segments: make([]Segment, k), factor: newCholesky(s.gram, k, n)}}
}

// Solve solves the problem with the noisy coefficients wy = W y and the penalties of the rows.
func (s *PairSolver) Solve(ws *PairWorkspace, wy []float64, rows []Penalty) *PairSolution {
	s.guess(ws, wy, rows)
	return s.solve(ws, wy, rows)
}

// guess sets the segments to those of orthogonal rows.
func (s *PairSolver) guess(ws *PairWorkspace, wy []float64, rows []Penalty) {
	for i, g := range rows {
		ws.sol.Segments[i] = g.scalarSegment(wy[i], s.gram[i*s.w.K+i])
	}
}

// maxPivots bounds the pivots where rounding keeps the method from ending: with dependent rows, or coefficients that
// happen to lie on a kink.
const maxPivots = 300

// patience is the number of block moves without progress that are made before single moves.
const patience = 5

// solve solves the problem from the guess in ws.sol.Segments.
func (s *PairSolver) solve(ws *PairWorkspace, wy []float64, rows []Penalty) *PairSolution {
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

// Confine moves the duals of a solution that did not converge into their ranges. This bounds the distance from x = y -
// W'u to y, whereas the closed form of wrong segments may be far off.
func (s *PairSolution) Confine(rows []Penalty) {
	for i, seg := range s.Segments {
		if seg.OnKink() {
			lo, hi := rows[i].dualRange(seg)
			s.Dual[i] = max(lo, min(s.Dual[i], hi))
		}
	}
}

// prepare sets c, the duals of the even segments and the factor of the zero set.
func (s *PairSolver) prepare(ws *PairWorkspace, wy []float64, rows []Penalty) {
	sol := &ws.sol
	sol.factor.gram = s.gram
	ws.tol = 1e-10 * max(1, floats.Norm(wy, math.Inf(1)))
	copy(ws.c, wy)
	for i, g := range rows {
		if !sol.Segments[i].OnKink() {
			sol.Dual[i] = g.slope(sol.Segments[i])
			floats.AddScaled(ws.c, -sol.Dual[i], s.gramRow(i))
		}
	}
	s.factorize(ws)
}

func (s *PairSolver) gramRow(i int) []float64 { return s.gram[i*s.w.K : (i+1)*s.w.K] }

func (s *PairSolver) factorize(ws *PairWorkspace) {
	ws.zero = ws.zero[:0]
	for i, seg := range ws.sol.Segments {
		if seg.OnKink() {
			ws.zero = append(ws.zero, i)
		}
	}
	ws.sol.factor.set(ws.zero)
}

// solveKinks sets the duals of the zero set and h = W x.
func (s *PairSolver) solveKinks(ws *PairWorkspace, rows []Penalty) {
	f := ws.sol.factor
	a := f.solved(ws.step, func(i int) float64 { return ws.c[i] - rows[i].kink(ws.sol.Segments[i]) })
	copy(ws.h, ws.c)
	for j, i := range f.rows {
		ws.sol.Dual[i] = a[j]
		floats.AddScaled(ws.h, -a[j], s.gramRow(i))
	}
}

// violations writes the rows whose condition does not hold to ws.moved and returns their number.
func (s *PairSolver) violations(ws *PairWorkspace, rows []Penalty) int {
	ws.moved = ws.moved[:0]
	for i, g := range rows {
		if seg := ws.sol.Segments[i]; g.repair(seg, ws.value(i), ws.tol) != seg {
			ws.moved = append(ws.moved, i)
		}
	}
	return len(ws.moved)
}

// value returns what the condition of row i depends on: its dual on a kink, its coefficient elsewhere.
func (ws *PairWorkspace) value(i int) float64 {
	if ws.sol.Segments[i].OnKink() {
		return ws.sol.Dual[i]
	}
	return ws.h[i]
}

// pivot moves the rows in ws.moved to the neighbouring segments and updates c and the factor.
func (s *PairSolver) pivot(ws *PairWorkspace, rows []Penalty) {
	sol := &ws.sol
	few := 8*len(ws.moved) <= len(sol.factor.rows)
	for _, i := range ws.moved {
		g, old := rows[i], sol.Segments[i]
		before := 0.0
		if !old.OnKink() {
			before = g.slope(old)
		}
		seg := g.repair(old, ws.value(i), ws.tol)
		sol.Segments[i] = seg
		after := 0.0
		if !seg.OnKink() {
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
		if sol.Segments[i].OnKink() {
			sol.factor.add(i)
		}
	}
}

// refine reduces the rounding error on the zero set by one step of iterative refinement.
func (s *PairSolver) refine(ws *PairWorkspace, rows []Penalty) {
	f := ws.sol.factor
	da := f.solved(ws.step, func(i int) float64 { return ws.h[i] - rows[i].kink(ws.sol.Segments[i]) })
	for j, i := range f.rows {
		ws.sol.Dual[i] += da[j]
	}
}
