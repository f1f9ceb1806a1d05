package baseline

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// pursuit is backward greedy analysis pursuit: starting from x = y it takes, again and again, the row of the operator to
// which x is nearest to orthogonal, and projects x onto what is orthogonal to all rows taken. R. Rubinstein, T. Peleg, M.
// Elad, "Analysis K-SVD: a dictionary-learning algorithm for the analysis sparse model", IEEE Transactions on Signal
// Processing 61(3), 2013, section III (backward greedy). The operator has rows of norm 1.
//
// Neither x nor an orthonormal basis q_1, q_2, ... of the rows taken is formed on the way. With the Gram matrix W W' known
// for all signals, the products h_ij = w_i q_j follow from it as the columns of a Cholesky factor, and W x from those: the
// idea of R. Rubinstein, M. Zibulevsky, M. Elad, "Efficient implementation of the K-SVD algorithm using batch orthogonal
// matching pursuit", Technion CS-2008-08, for the analysis model.
type pursuit struct {
	w         solve.Transform
	gram      []float64   // W W'
	taken     []bool      // the co-support
	rows      []int       // rows of W in the order of all below: those not taken first
	open      int         // how many those are
	z         []float64   // W x
	remainder []float64   // squared norm of each row outside the span of those taken
	h         [][]float64 // column j of the factor
	at        []int       // where in rows the j-th independent row is that was taken
	c         []float64   // q_j y
}

// dependent is the squared norm outside the span of the rows taken below which a row of norm 1 counts as part of it: well
// above the rounding of the Gram matrix.
const dependent = 1e-10

func newPursuit(w solve.Transform) *pursuit {
	p := &pursuit{w: w, taken: make([]bool, w.K), rows: make([]int, w.K), z: make([]float64, w.K), remainder: make([]float64, w.K)}
	for range w.N {
		p.h = append(p.h, make([]float64, w.K))
	}
	var gram mat.Dense
	rows := mat.NewDense(w.K, w.N, w.W)
	gram.Mul(rows, rows.T())
	p.gram = gram.RawMatrix().Data
	return p
}

// run takes rows while ||x - y||^2 stays within the budget and until most of them are independent. It leaves the rows in
// taken.
func (p *pursuit) run(y []float64, budget float64, most int) {
	p.begin(y)
	for len(p.at) < most && p.open > 0 {
		row := p.nearest()
		norm, c := 0.0, 0.0
		if p.remainder[row] >= dependent { // else it follows from those taken
			norm = math.Sqrt(p.remainder[row])
			c = p.z[row] / norm
			if budget -= c * c; budget < 0 {
				return
			}
		}
		p.take(row)
		if norm > 0 {
			p.project(norm, c)
		}
	}
}

func (p *pursuit) begin(y []float64) {
	p.w.Analyze(p.z, y)
	clear(p.taken)
	p.open, p.at, p.c = p.w.K, p.at[:0], p.c[:0]
	for i := range p.rows {
		p.rows[i] = i
		p.remainder[i] = p.gram[i*p.w.K+i]
	}
}

// nearest is the open row with the smallest |w_i x|.
func (p *pursuit) nearest() int {
	best, at := math.Inf(1), 0
	for i, z := range p.z[:p.open] {
		if a := math.Abs(z); a < best {
			best, at = a, i
		}
	}
	return at
}

// take makes a row the last one behind those that stay open.
func (p *pursuit) take(i int) {
	p.taken[p.rows[i]] = true
	p.open--
	last := p.open
	p.rows[i], p.rows[last] = p.rows[last], p.rows[i]
	p.z[i], p.remainder[i] = p.z[last], p.remainder[last]
	for _, h := range p.h[:len(p.at)] {
		h[i], h[last] = h[last], h[i]
	}
}

// project makes x orthogonal to the row taken last, and changes W x with it.
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

// result writes y projected onto what is orthogonal to all rows taken. The rows are the factor times the q_j, so that the
// sum of the c_j q_j is that of the rows with the solution a of H'a = c as weights. It overwrites c.
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
