package bilevel

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// activeSetSteps bounds the primal-dual active-set steps. They end sooner if the first step moves many rows, or a later
// step more rows than the step before. Such steps often cycle, and bounded least squares finds the solution faster.
const activeSetSteps = 8

// atBound is the magnitude from which a dual computed in float32 counts as at its bound 1.
const atBound = 1 - 1e-6

// activeSet starts from the zero set of the clipped ADMM dual in the workspace and repairs the sign pattern by
// primal-dual active-set steps (Hintermüller, Ito, Kunisch: The primal-dual active set strategy as a semismooth Newton
// method, SIAM Journal on Optimization, 2002): with the pattern fixed, solve
//
//	W_0 W_0' u_0 = c_0,   W x = c - W W_0' u_0,   where c = W (y - W_±' s)
//
// then move rows of W_0 with |u_i| > 1 to W_±, and rows of W_± with s_i w_i x < 0 to W_0. It reports whether the KKT
// conditions hold in the end. It leaves x to the caller.
func (s *Solver) activeSet(ws *Workspace) bool {
	sol := &ws.sol
	s.guessPattern(ws)
	if s.w.K > s.w.N && len(ws.zero) >= s.w.N { // nearly always ADMM is too far from the solution for these steps
		return false
	}
	if !sol.factor.set(ws.zero) {
		return false
	}
	s.primal(ws) // y - W_±' s
	s.analyze(ws.c, sol.X)
	before := max(8, s.w.K/16)
	for sol.Steps = 1; sol.Steps <= activeSetSteps; sol.Steps++ {
		s.solveZeroSet(ws)
		s.repairPattern(ws)
		moved := len(ws.moved)
		if moved == 0 {
			s.refine(ws)
			return true
		}
		if moved > before || !s.updateFactor(ws) {
			return false
		}
		before = moved
	}
	return false
}

// guessPattern sets the pattern from the clipped dual, and the dual to s on W_± and to 0 on W_0.
func (s *Solver) guessPattern(ws *Workspace) {
	sol := &ws.sol
	ws.zero = ws.zero[:0]
	for i, u := range sol.Dual {
		sol.Pattern[i] = 0
		switch {
		case s.gram[i*s.w.K+i] == 0:
		case u >= atBound:
			sol.Pattern[i] = 1
		case u <= -atBound:
			sol.Pattern[i] = -1
		default:
			ws.zero = append(ws.zero, i)
		}
		sol.Dual[i] = float64(sol.Pattern[i])
	}
}

// solveZeroSet computes u_0 and h = W x.
func (s *Solver) solveZeroSet(ws *Workspace) {
	f := ws.sol.factor
	u := f.solved(ws.step, func(i int) float64 { return ws.c[i] })
	copy(ws.h, ws.c)
	for j, i := range f.rows {
		ws.sol.Dual[i] = u[j]
		floats.AddScaled(ws.h, -u[j], s.gramRow(i))
	}
}

// repairPattern moves all rows that violate their condition and lists them in ws.moved.
func (s *Solver) repairPattern(ws *Workspace) {
	sol := &ws.sol
	ws.moved = ws.moved[:0]
	for _, i := range s.rows {
		c := sol.Pattern[i]
		switch {
		case c == 0 && math.Abs(sol.Dual[i]) > 1+ws.tol:
			sol.Pattern[i] = signOf(sol.Dual[i])
		case c != 0 && float64(c)*ws.h[i] < -ws.tol:
			sol.Pattern[i] = 0
		default:
			continue
		}
		ws.moved = append(ws.moved, i)
		sol.Dual[i] = float64(sol.Pattern[i])
		floats.AddScaled(ws.c, float64(c-sol.Pattern[i]), s.gramRow(i))
	}
}

// updateFactor computes the factor of the new zero set, row by row if few rows moved. It reports whether the rows are
// independent.
func (s *Solver) updateFactor(ws *Workspace) bool {
	f := ws.sol.factor
	if 8*len(ws.moved) > len(f.rows) {
		ws.zero = ws.zero[:0]
		for _, i := range s.rows {
			if ws.sol.Pattern[i] == 0 {
				ws.zero = append(ws.zero, i)
			}
		}
		return f.set(ws.zero)
	}
	for _, i := range ws.moved {
		if ws.sol.Pattern[i] != 0 {
			f.remove(slices.Index(f.rows, i))
		}
	}
	for _, i := range ws.moved {
		if ws.sol.Pattern[i] == 0 && !f.add(i) {
			return false
		}
	}
	return true
}

// refine reduces the rounding error of W_0 x = 0 by one step of iterative refinement of the dual on the zero set.
func (s *Solver) refine(ws *Workspace) {
	f := ws.sol.factor
	du := f.solved(ws.step, func(i int) float64 { return ws.h[i] })
	for j, i := range f.rows {
		ws.sol.Dual[i] += du[j]
	}
}

func signOf(v float64) int8 {
	if v < 0 {
		return -1
	}
	return 1
}
