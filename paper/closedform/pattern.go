package closedform

import "github.com/blorc-denoise/blorc-denoise/internal/solve"

// SignPattern is c(W) = sign(W x*), one of -1, 0, +1 for each row of W. It splits W into W_0 (the zero set) and W_±.
type SignPattern []int8

// NewSignPattern returns the signs of coefficients z = W x. Magnitudes below signThreshold (the paper's gamma) count as
// 0.
func NewSignPattern(z []float64, signThreshold float64) SignPattern {
	c := make(SignPattern, len(z))
	for i, v := range z {
		switch {
		case v >= signThreshold && v > 0:
			c[i] = 1
		case v <= -signThreshold && v < 0:
			c[i] = -1
		}
	}
	return c
}

// Zero returns the indices of the rows of W_0.
func (c SignPattern) Zero() []int { return c.rows(func(s int8) bool { return s == 0 }) }

// Nonzero returns the indices of the rows of W_±.
func (c SignPattern) Nonzero() []int { return c.rows(func(s int8) bool { return s != 0 }) }

func (c SignPattern) rows(want func(int8) bool) []int {
	var rows []int
	for i, s := range c {
		if want(s) {
			rows = append(rows, i)
		}
	}
	return rows
}

// residualSignal returns q = y - W_±' s.
func residualSignal(w solve.Transform, y []float64, c SignPattern) []float64 {
	s := make([]float64, w.K)
	for i, v := range c {
		s[i] = float64(v)
	}
	q := make([]float64, w.N)
	w.AnalyzeAdjoint(q, s)
	for i := range q {
		q[i] = y[i] - q[i]
	}
	return q
}
