package bilevel

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// activeSetSteps bounds the primal-dual active-set steps; more than a few means that they cycle.
const activeSetSteps = 8

// activeSet starts from the zero set of the clipped ADMM dual in the workspace and repairs the sign pattern by
// primal-dual active-set steps (Hintermüller, Ito, Kunisch: The primal-dual active set strategy as a semismooth Newton
// method, SIAM Journal on Optimization, 2002): with the pattern fixed, solve
//
//	W_0 W_0' u_0 = W_0 (y - W_±' s),   x = y - W'u
//
// then move rows of W_0 with |u_i| > 1 to W_±, and rows of W_± with s_i w_i x < 0 to W_0. It reports whether the KKT
// conditions hold in the end.
func (s *Solver) activeSet(ws *Workspace) bool {
	sol := &ws.sol
	s.guessPattern(ws)
	for sol.Steps = 1; sol.Steps <= activeSetSteps; sol.Steps++ {
		ws.zero = ws.zero[:0]
		for _, i := range s.rows {
			if sol.Dual[i] = float64(sol.Pattern[i]); sol.Pattern[i] == 0 {
				ws.zero = append(ws.zero, i)
			}
		}
		if !sol.factor.set(ws.zero) {
			return false
		}
		s.primal(ws) // q = y - W_±' s
		s.refine(ws) // u_0 and x from q
		if s.repairPattern(ws) == 0 {
			s.refine(ws)
			return true
		}
	}
	return false
}

// guessPattern reads the pattern off the clipped dual. For k > n a zero set with n rows or more nearly always means
// that ADMM has not converged, so the rows nearest to their bounds are released.
func (s *Solver) guessPattern(ws *Workspace) {
	sol := &ws.sol
	const atBound = 1 - 1e-6 // the dual comes in float32
	ws.interior = ws.interior[:0]
	for i, u := range sol.Dual {
		sol.Pattern[i] = 0
		switch {
		case s.gram[i*s.w.K+i] == 0:
		case u >= atBound:
			sol.Pattern[i] = 1
		case u <= -atBound:
			sol.Pattern[i] = -1
		default:
			ws.interior = append(ws.interior, i)
		}
	}
	const margin = 3 // leaves room for rows that the repair adds
	if keep := max(s.w.N-margin, 0); s.w.K > s.w.N && len(ws.interior) > s.w.N-1 {
		s.sortByDepth(ws)
		for _, i := range ws.interior[keep:] {
			sol.Pattern[i] = signOf(sol.Dual[i])
		}
	}
}

// sortByDepth puts the interior rows farthest from their bounds first.
func (s *Solver) sortByDepth(ws *Workspace) {
	slices.SortStableFunc(ws.interior, func(a, b int) int {
		da, db := math.Abs(ws.sol.Dual[a]), math.Abs(ws.sol.Dual[b])
		switch {
		case da < db:
			return -1
		case da > db:
			return 1
		}
		return a - b
	})
}

// repairPattern moves every row that violates its condition and returns their number.
func (s *Solver) repairPattern(ws *Workspace) (moved int) {
	sol := &ws.sol
	for _, i := range s.rows {
		if sol.Pattern[i] == 0 {
			if math.Abs(sol.Dual[i]) > 1+ws.tol {
				sol.Pattern[i] = signOf(sol.Dual[i])
				moved++
			}
		} else if float64(sol.Pattern[i])*floats.Dot(s.w.Row(i), sol.X) < -ws.tol {
			sol.Pattern[i] = 0
			moved++
		}
	}
	return moved
}

func signOf(v float64) int8 {
	if v < 0 {
		return -1
	}
	return 1
}
