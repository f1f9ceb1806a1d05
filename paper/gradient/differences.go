package gradient

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
)

// CentralDifferences returns the gradient by central differences of the loss: each element of W is changed by step and
// by -step. At each of these points it computes x* for the sign pattern at W and checks that it satisfies the KKT
// conditions there, so that it is the solution and not only its continuation. If a check fails, the loss has a kink
// within the step, and ok is false. The rows of W_0 must be independent.
func CentralDifferences(p Problem, step float64) (grad solve.Transform, ok bool) {
	var e exact
	if _, err := e.Solve(p); err != nil {
		return solve.Transform{}, false
	}
	d := newDifferences(p, e.sol.Pattern)
	grad = solve.NewTransform(p.W.K, p.W.N)
	for i, v := range p.W.W {
		d.set(i, v+step)
		above, fine := d.loss()
		d.set(i, v-step)
		below, fine2 := d.loss()
		d.set(i, v)
		if !fine || !fine2 {
			return grad, false
		}
		grad.W[i] = (above - below) / (2 * step)
	}
	return grad, true
}

// differences evaluates the loss for one sign pattern.
type differences struct {
	p       Problem
	pattern closedform.SignPattern
	zero    []int
	gram    []float64 // W W'
}

// newDifferences copies W, as set changes it.
func newDifferences(p Problem, pattern closedform.SignPattern) *differences {
	k := p.W.K
	d := &differences{p: Problem{p.W.Clone(), p.Y, p.Target}, pattern: pattern, zero: pattern.Zero(),
		gram: make([]float64, k*k)}
	for i := range k {
		d.update(i)
	}
	return d
}

// set changes one element of W.
func (d *differences) set(at int, v float64) {
	d.p.W.W[at] = v
	d.update(at / d.p.W.N)
}

// update recomputes one row and column of the Gram matrix.
func (d *differences) update(row int) {
	w := d.p.W
	for j := range w.K {
		v := floats.Dot(w.Row(row), w.Row(j))
		d.gram[row*w.K+j], d.gram[j*w.K+row] = v, v
	}
}

// loss returns the loss for the sign pattern, and whether the pattern is still right.
func (d *differences) loss() (loss float64, ok bool) {
	w := d.p.W
	u := make([]float64, w.K)
	for i, s := range d.pattern {
		u[i] = float64(s)
	}
	x := make([]float64, w.N)
	d.primal(x, u)
	if len(d.zero) > 0 {
		gram := mat.NewSymDense(len(d.zero), nil)
		right := mat.NewVecDense(len(d.zero), nil)
		for a, i := range d.zero {
			for b := a; b < len(d.zero); b++ {
				gram.SetSym(a, b, d.gram[i*w.K+d.zero[b]])
			}
			right.SetVec(a, floats.Dot(w.Row(i), x))
		}
		var factor mat.Cholesky
		if !factor.Factorize(gram) || factor.SolveVecTo(right, right) != nil {
			return 0, false
		}
		for a, i := range d.zero {
			u[i] = right.AtVec(a)
		}
		d.primal(x, u)
	}
	r := floats.Distance(x, d.p.Target, 2)
	return r * r / 2, d.optimal(x, u)
}

// primal sets x = y - W'u.
func (d *differences) primal(x, u []float64) {
	d.p.W.AnalyzeAdjoint(x, u)
	for i, y := range d.p.Y {
		x[i] = y - x[i]
	}
}

// optimal checks the inequalities of the KKT conditions. The equations hold by construction.
func (d *differences) optimal(x, u []float64) bool {
	for i, s := range d.pattern {
		if s == 0 && math.Abs(u[i]) > 1 || s != 0 && float64(s)*floats.Dot(d.p.W.Row(i), x) < 0 {
			return false
		}
	}
	return true
}
