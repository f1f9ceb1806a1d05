package gradient

import (
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
)

// Reverse differentiates the closed form x* = P_N(W_0) (y - W_±' s) by reverse mode, as PyTorch does for the paper. The
// rows of W_0 must be independent.
type Reverse struct{ exact }

// Name implements Method.
func (*Reverse) Name() string { return "reverse mode" }

// Gradient implements Method.
func (r *Reverse) Gradient() (solve.Transform, error) {
	w, pattern := r.p.W, closedform.SignPattern(r.sol.Pattern)
	zero, nonzero := pattern.Zero(), pattern.Nonzero()
	var t tape
	q := t.put(mat.NewDense(w.N, 1, append([]float64(nil), r.p.Y...)))
	var moving, fixed *node // W_± and W_0
	if len(nonzero) > 0 {
		moving = t.put(closedform.RowsOf(w, nonzero))
		s := mat.NewDense(len(nonzero), 1, nil)
		for j, i := range nonzero {
			s.Set(j, 0, float64(pattern[i]))
		}
		q = t.sub(q, t.mul(t.transpose(moving), t.put(s)))
	}
	x := q
	if len(zero) > 0 {
		fixed = t.put(closedform.RowsOf(w, zero))
		transposed := t.transpose(fixed)
		dual, err := t.solve(t.mul(fixed, transposed), t.mul(fixed, q))
		if err != nil {
			return solve.Transform{}, err
		}
		x = t.sub(q, t.mul(transposed, dual))
	}
	var g mat.Dense
	g.Sub(x.value, mat.NewDense(w.N, 1, r.p.Target))
	t.run(&g)
	out := solve.NewTransform(w.K, w.N)
	copyRows(out, nonzero, moving)
	copyRows(out, zero, fixed)
	return out, nil
}

// copyRows copies the derivatives of rows to their places in dst.
func copyRows(dst solve.Transform, rows []int, from *node) {
	for j, i := range rows {
		copy(dst.Row(i), from.adjoint.RawRowView(j))
	}
}
