package baseline

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// pursuit is backward greedy analysis pursuit. Starting from x = y, each step chooses the row w_i of the operator with
// the smallest |w_i x| and projects x onto the space orthogonal to all chosen rows: R. Rubinstein, T. Peleg, M. Elad,
// "Analysis K-SVD: a dictionary-learning algorithm for the analysis sparse model", IEEE Transactions on Signal
// Processing 61(3), 2013, section III. The rows of the operator have norm 1.
//
// Neither x nor an orthonormal basis q_1, q_2, ... of the chosen rows is formed on the way. The Gram matrix W W' is the
// same for all signals. The products h_ij = w_i q_j follow from it as the columns of a Cholesky factor, and W x follows
// from them. The idea comes from R. Rubinstein, M. Zibulevsky, M. Elad, "Efficient implementation of the K-SVD
// algorithm using batch orthogonal matching pursuit", Technion CS-2008-08, applied to the analysis model.
type pursuit struct {
	w         solve.Transform
	gram      []float64   // W W'
	chosen    []bool      // the co-support, by row of W
	rows      []int       // rows of W in the order of the fields below: rows still open first
	open      int         // number of open rows
	z         []float64   // W x
	remainder []float64   // squared norm of each row outside the span of the chosen rows
	h         [][]float64 // columns of the factor
	at        []int       // index in rows of the j-th chosen independent row
	c         []float64   // q_j y
}

// dependent is the limit on the squared norm outside the span of the chosen rows. A row of norm 1 with less counts as
// part of the span. The limit is well above the rounding errors of the Gram matrix.
const dependent = 1e-10

func newPursuit(w solve.Transform) *pursuit {
	p := &pursuit{w: w, chosen: make([]bool, w.K), rows: make([]int, w.K), z: make([]float64, w.K),
		remainder: make([]float64, w.K)}
	for range w.N {
		p.h = append(p.h, make([]float64, w.K))
	}
	var gram mat.Dense
	rows := mat.NewDense(w.K, w.N, w.W)
	gram.Mul(rows, rows.T())
	p.gram = gram.RawMatrix().Data
	return p
}

// run chooses rows while ||x - y||^2 stays within the budget, at most as many independent ones as most says.
func (p *pursuit) run(y []float64, budget float64, most int) {
	p.reset(y)
	for len(p.at) < most && p.open > 0 {
		row := p.nearest()
		norm, c := 0.0, 0.0
		if p.remainder[row] >= dependent { // otherwise it depends on the chosen rows, and x stays
			norm = math.Sqrt(p.remainder[row])
			c = p.z[row] / norm
			if budget -= c * c; budget < 0 {
				return
			}
		}
		p.choose(row)
		if norm > 0 {
			p.project(norm, c)
		}
	}
}

// reset prepares for a signal.
func (p *pursuit) reset(y []float64) {
	p.w.Analyze(p.z, y)
	clear(p.chosen)
	p.open, p.at, p.c = p.w.K, p.at[:0], p.c[:0]
	for i := range p.rows {
		p.rows[i] = i
		p.remainder[i] = p.gram[i*p.w.K+i]
	}
}

// nearest returns the index in rows of the open row with the smallest |w_i x|.
func (p *pursuit) nearest() int {
	best, at := math.Inf(1), 0
	for i, z := range p.z[:p.open] {
		if a := math.Abs(z); a < best {
			best, at = a, i
		}
	}
	return at
}

// choose moves row i from the open rows to the place behind them.
func (p *pursuit) choose(i int) {
	p.chosen[p.rows[i]] = true
	p.open--
	last := p.open
	p.rows[i], p.rows[last] = p.rows[last], p.rows[i]
	p.z[i], p.remainder[i] = p.z[last], p.remainder[last]
	for _, h := range p.h[:len(p.at)] {
		h[i], h[last] = h[last], h[i]
	}
}

// project makes x orthogonal to the row chosen last and updates W x. norm is the norm of that row outside the span of
// the earlier ones, and c its product with x divided by norm.
func (p *pursuit) project(norm, c float64) {
	rank, open := len(p.at), p.open
	own := p.gram[p.rows[open]*p.w.K:]
	h := p.h[rank][:open+1]
	for i := range open {
		h[i] = own[p.rows[i]]
	}
	for _, before := range p.h[:rank] {
		floats.AddScaled(h[:open], -before[open], before[:open])
	}
	h[open] = norm
	scale := 1 / norm
	z, remainder := p.z[:open], p.remainder[:open]
	for i := range z {
		v := h[i] * scale
		h[i] = v
		z[i] -= c * v
		remainder[i] -= v * v
	}
	p.at, p.c = append(p.at, open), append(p.c, c)
}

// result writes to x the projection of y onto the space orthogonal to all chosen rows, x = y - sum_j c_j q_j. The
// chosen rows are H times the q_j, so that sum is a weighted sum of the rows, with the solution a of H'a = c as
// weights. It overwrites c.
func (p *pursuit) result(x, y []float64) {
	copy(x, y)
	for j := len(p.at) - 1; j >= 0; j-- {
		at := p.at[j]
		a := p.c[j] / p.h[j][at]
		for i := range j {
			p.c[i] -= a * p.h[i][at]
		}
		floats.AddScaled(x, -a, p.w.Row(p.rows[at]))
	}
}
