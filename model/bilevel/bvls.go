package bilevel

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// boundedLeastSquares solves the dual of the lower-level problem,
//
//	min_u 1/2 ||y - W'u||^2   with |u_i| <= 1,
//
// by bounded-variable least squares (Stark, Parker: Bounded-variable least-squares: an algorithm and applications,
// Computational Statistics, 1995): solve on the free variables, go towards that point until one meets its bound, fix it
// there; at the optimum of the free ones free the bound variable with the steepest descent. Each round lowers the
// objective, so no set of free variables comes back and the method ends, also where W_0 is rank deficient or x* = 0: free
// rows are always independent. Rows at a bound with w_i x = 0 keep the sign of their bound, which the KKT conditions
// allow. It starts from the feasible dual in the workspace and reports whether it reached the optimum.
func (s *Solver) boundedLeastSquares(ws *Workspace) bool {
	sol := &ws.sol
	s.startFree(ws)
	limit := 20 * s.w.K
	for sol.Steps = 0; sol.Steps < limit; sol.Steps++ {
		s.minimizeFree(ws)
		s.primal(ws)
		s.refine(ws)
		i := s.steepest(ws)
		if i < 0 {
			return true
		}
		sol.Pattern[i] = 0
		if !sol.factor.add(i) { // cannot happen in exact arithmetic: then w_i x = 0
			return false
		}
	}
	return false
}

// startFree makes independent rows strictly inside their bounds free, the innermost first, and fixes all others.
func (s *Solver) startFree(ws *Workspace) {
	sol := &ws.sol
	sol.factor.reset()
	ws.interior = append(ws.interior[:0], s.rows...)
	s.sortByDepth(ws)
	clear(sol.Pattern)
	for _, i := range ws.interior {
		if u := sol.Dual[i]; math.Abs(u) >= 1-1e-6 || !sol.factor.add(i) {
			sol.Pattern[i] = signOf(u)
			sol.Dual[i] = float64(sol.Pattern[i])
		}
	}
}

// minimizeFree goes to the least-squares solution on the free rows, fixing rows at their bounds on the way.
func (s *Solver) minimizeFree(ws *Workspace) {
	sol, f := &ws.sol, ws.sol.factor
	for len(f.rows) > 0 {
		s.primal(ws)
		step := ws.h[:len(f.rows)]
		for j, i := range f.rows {
			step[j] = floats.Dot(s.w.Row(i), sol.X)
		}
		f.solve(step) // the full step of u_0
		length, hit := 1.0, -1
		for j, i := range f.rows {
			bound := math.Copysign(1, step[j])
			if t := (bound - sol.Dual[i]) / step[j]; math.Abs(sol.Dual[i]+step[j]) > 1 && t < length {
				length, hit = max(t, 0), i
			}
		}
		sign := int8(0)
		for j, i := range f.rows {
			sol.Dual[i] += length * step[j]
			if i == hit {
				sign = signOf(step[j])
			}
		}
		if hit < 0 {
			return
		}
		sol.Pattern[hit], sol.Dual[hit] = sign, float64(sign)
		free := slices.DeleteFunc(append(ws.zero[:0], f.rows...), func(i int) bool { return i == hit })
		f.set(free)
	}
}

// steepest returns the bound row whose release lowers the objective fastest, or -1 at the optimum.
func (s *Solver) steepest(ws *Workspace) int {
	best, worst := -1, 0.0
	for _, i := range s.rows {
		c := ws.sol.Pattern[i]
		if c == 0 {
			continue
		}
		wx := -float64(c) * floats.Dot(s.w.Row(i), ws.sol.X)
		if v := wx / math.Sqrt(s.gram[i*s.w.K+i]); wx > ws.tol && v > worst {
			best, worst = i, v
		}
	}
	return best
}
