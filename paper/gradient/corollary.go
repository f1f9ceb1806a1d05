package gradient

import (
	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
)

// Exact solves the lower-level problem for a signal until its KKT conditions hold.
func Exact(w solve.Transform, y []float64) (exact *bilevel.Solution) {
	solver := bilevel.NewSolver(w)
	solver.Solve(solver.NewWorkspace(), y, func(_ int, sol *bilevel.Solution) { exact = sol })
	return exact
}

// exact is the part of a method that solves the lower-level problem with Exact.
type exact struct {
	p   Problem
	sol *bilevel.Solution
}

// Solve implements Method.
func (e *exact) Solve(p Problem) ([]float64, error) {
	e.p, e.sol = p, Exact(p.W, p.Y)
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
