package gradient

import (
	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
)

// exact solves the lower-level problem until its KKT conditions hold.
type exact struct {
	p   Problem
	sol *bilevel.Solution
}

// Solve implements Method.
func (e *exact) Solve(p Problem) ([]float64, error) {
	solver := bilevel.NewSolver(p.W)
	e.p = p
	solver.Solve(solver.NewWorkspace(), p.Y, func(_ int, sol *bilevel.Solution) { e.sol = sol })
	return e.sol.X, nil
}

// Corollary is the paper's closed form, eq:grad1 and eq:except, as printed, with the pseudo-inverse of W_0.
type Corollary struct{ exact }

// Name implements Method.
func (*Corollary) Name() string { return "closed form" }

// Gradient implements Method.
func (c *Corollary) Gradient() (solve.Transform, error) {
	return closedform.Gradient(c.p.W, c.p.Y, c.p.Target, c.sol.Pattern), nil
}

// Factored computes the same gradient as Corollary from the Cholesky factor of W_0 W_0' that the solver already has.
// Training uses this method.
type Factored struct{ exact }

// Name implements Method.
func (*Factored) Name() string { return "closed form, factored" }

// Gradient implements Method.
func (f *Factored) Gradient() (solve.Transform, error) {
	g := solve.NewTransform(f.p.W.K, f.p.W.N)
	sum := bilevel.NewGradientSum(g.K, g.N)
	sum.Add(g.W, f.sol, f.p.Target)
	sum.Flush(g.W)
	return g, nil
}
