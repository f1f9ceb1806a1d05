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
// Computational Statistics, 1995): solve for the free variables, go towards that point until one meets its bound, and
// fix it there. At the optimum of the free variables, free the bound variable with the steepest descent. Each round
// lowers the objective, so no set of free variables comes back and the method ends.
//
// It also works if W_0 is rank deficient or x* = 0: free rows are always independent, and rows inside their bounds that
// depend on them rest at their value. Rows at a bound with w_i x = 0 keep the sign of their bound, which the KKT
// conditions allow. The start is the feasible dual in the workspace. boundedLeastSquares reports whether it reached the
// optimum.
func (s *Solver) boundedLeastSquares(ws *Workspace) bool {
	sol := &ws.sol
	s.startFree(ws)
	limit := 20 * s.w.K
	fresh := false // h was computed anew and not only updated
	for sol.Steps = 0; sol.Steps < limit; sol.Steps++ {
		s.minimizeFree(ws)
		i := s.steepest(ws)
		switch {
		case i >= 0:
			sol.Pattern[i] = 0
			if !sol.factor.add(i) { // a dependent row has w_i x = 0, so this is rounding
				return false
			}
			fresh = false
		case fresh:
			return s.restsAreZero(ws)
		default:
			s.residual(ws)
			fresh = true
		}
	}
	return false
}

// residual computes h = W x from the dual.
func (s *Solver) residual(ws *Workspace) {
	s.primal(ws)
	s.analyze(ws.h, ws.sol.X)
}

// startFree fixes the rows at their bounds. Of the other rows it frees independent ones, those farthest from their
// bounds first. The remaining rows depend on free ones and rest, since w_i x = 0 follows for them.
func (s *Solver) startFree(ws *Workspace) {
	sol, f := &ws.sol, ws.sol.factor
	clear(sol.Pattern)
	ws.zero = ws.zero[:0]
	for _, i := range s.rows {
		if math.Abs(sol.Dual[i]) < atBound {
			ws.zero = append(ws.zero, i)
		} else {
			s.fix(ws, i, signOf(sol.Dual[i]))
		}
	}
	sortByDepth(ws.zero, sol.Dual)
	ws.resting = ws.resting[:0]
	if !f.set(ws.zero) {
		for _, i := range ws.zero[len(f.rows):] {
			if !f.add(i) {
				ws.resting = append(ws.resting, i)
			}
		}
	}
	s.residual(ws)
}

func (s *Solver) fix(ws *Workspace, i int, sign int8) {
	ws.sol.Pattern[i], ws.sol.Dual[i] = sign, float64(sign)
}

// sortByDepth puts the rows farthest from their bounds first.
func sortByDepth(rows []int, dual []float64) {
	slices.SortFunc(rows, func(a, b int) int {
		da, db := math.Abs(dual[a]), math.Abs(dual[b])
		switch {
		case da < db:
			return -1
		case da > db:
			return 1
		}
		return a - b
	})
}

// minimizeFree goes to the least-squares solution on the free rows, and fixes rows that meet their bounds on the way. A
// part t of the full step leaves (1-t) times the residual on the free rows, so h is updated only once, at the end.
func (s *Solver) minimizeFree(ws *Workspace) {
	sol, f := &ws.sol, ws.sol.factor
	copy(ws.c, sol.Dual)
	for scale := 1.0; len(f.rows) > 0; {
		step := f.solved(ws.step, func(i int) float64 { return scale * ws.h[i] }) // the full step of u_0
		length, hit := 1.0, -1
		for j, i := range f.rows {
			if u := sol.Dual[i]; math.Abs(u+step[j]) > 1 {
				if t := (math.Copysign(1, step[j]) - u) / step[j]; t < length {
					length, hit = max(t, 0), j
				}
			}
		}
		for j, i := range f.rows {
			sol.Dual[i] += length * step[j]
		}
		if hit < 0 {
			break
		}
		s.fix(ws, f.rows[hit], signOf(step[hit]))
		f.remove(hit)
		s.rejoin(ws)
		scale *= 1 - length
		sol.Steps++
	}
	for i, before := range ws.c {
		if d := sol.Dual[i] - before; d != 0 {
			floats.AddScaled(ws.h, -d, s.gramRow(i))
		}
	}
}

// rejoin frees the first resting row that no longer depends on the free ones. One is enough: with it, the free rows
// span the same space as before the removal of a row.
func (s *Solver) rejoin(ws *Workspace) {
	for j, i := range ws.resting {
		if ws.sol.factor.add(i) {
			ws.resting = slices.Delete(ws.resting, j, j+1)
			return
		}
	}
}

// restsAreZero reports whether w_i x = 0 on the resting rows. It fails only if one of them depends nearly, but not
// exactly, on free rows.
func (s *Solver) restsAreZero(ws *Workspace) bool {
	return !slices.ContainsFunc(ws.resting, func(i int) bool { return math.Abs(ws.h[i]) > ws.tol })
}

// steepest returns the row at a bound whose release lowers the objective fastest, or -1 at the optimum.
func (s *Solver) steepest(ws *Workspace) int {
	best, worst := -1, 0.0
	for _, i := range s.rows {
		c := ws.sol.Pattern[i]
		if c == 0 {
			continue
		}
		wx := -float64(c) * ws.h[i]
		if v := wx / math.Sqrt(s.gram[i*s.w.K+i]); wx > ws.tol && v > worst {
			best, worst = i, v
		}
	}
	return best
}
