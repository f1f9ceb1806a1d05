package baseline

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/model"
)

// pursuit is backward greedy analysis pursuit: starting from x = y it takes, again and again, the row of the operator to
// which x is nearest to orthogonal, and projects x onto what is orthogonal to all rows taken. R. Rubinstein, T. Peleg, M.
// Elad, "Analysis K-SVD: a dictionary-learning algorithm for the analysis sparse model", IEEE Transactions on Signal
// Processing 61(3), 2013, section III (backward greedy). The operator has rows of norm 1.
type pursuit struct {
	w     model.Transform
	x     []float64
	z     []float64   // W x, for rows not yet taken
	taken []bool      // the co-support
	basis [][]float64 // orthonormal, of the span of the rows taken
}

func newPursuit(w model.Transform) *pursuit {
	p := &pursuit{w: w, x: make([]float64, w.N), z: make([]float64, w.K), taken: make([]bool, w.K)}
	for range w.N {
		p.basis = append(p.basis, make([]float64, w.N))
	}
	return p
}

// run takes rows while ||x - y||^2 stays within the budget and until most of them are independent. It leaves the result
// in x and the rows in taken.
func (p *pursuit) run(y []float64, budget float64, most int) {
	copy(p.x, y)
	p.w.Analyze(p.z, p.x)
	clear(p.taken)
	for rank := 0; rank < most; {
		row := p.nearest()
		if row < 0 {
			return
		}
		q := p.basis[rank]
		if !p.orthogonalize(q, row, rank) { // it follows from those taken
			p.taken[row] = true
			continue
		}
		c := floats.Dot(q, p.x)
		if budget -= c * c; budget < 0 {
			return
		}
		p.taken[row] = true
		floats.AddScaled(p.x, -c, q)
		rank++
		for i := range p.w.K {
			if !p.taken[i] {
				p.z[i] -= c * floats.Dot(p.w.Row(i), q)
			}
		}
	}
}

// nearest is the row with the smallest |w_i x| of those not taken, or -1.
func (p *pursuit) nearest() int {
	best, at := math.Inf(1), -1
	for i, z := range p.z {
		if a := math.Abs(z); !p.taken[i] && a < best {
			best, at = a, i
		}
	}
	return at
}

// orthogonalize makes q the part of a row outside the first rank vectors of the basis, with norm 1. It returns false if
// there is none.
func (p *pursuit) orthogonalize(q []float64, row, rank int) bool {
	copy(q, p.w.Row(row))
	for range 2 { // once more against rounding
		for _, b := range p.basis[:rank] {
			floats.AddScaled(q, -floats.Dot(b, q), b)
		}
	}
	norm := floats.Norm(q, 2)
	if norm < 1e-7 {
		return false
	}
	floats.Scale(1/norm, q)
	return true
}
