package bilevel

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// kkt is the violation of the optimality conditions of the lower-level problem by a primal-dual pair:
//
//	y - x = W'u,   |u_i| <= 1,   w_i x = 0 on W_0,   u_i = s_i and s_i w_i x >= 0 on W_±
//
// All fields are maximum absolute values. If all are zero, x is the solution.
type kkt struct {
	Stationarity float64 // y - x - W'u
	Dual         float64 // |u_i| - 1, and u_i - s_i on W_±
	Coefficients float64 // w_i x on W_0, and -s_i w_i x on W_±
}

// max returns the largest violation.
func (k kkt) max() float64 { return max(k.Stationarity, k.Dual, k.Coefficients) }

func checkKKT(w solve.Transform, y, x, u []float64, c []int8) kkt {
	var k kkt
	wu, z := make([]float64, w.N), make([]float64, w.K)
	w.AnalyzeAdjoint(wu, u)
	w.Analyze(z, x)
	for i := range y {
		k.Stationarity = max(k.Stationarity, math.Abs(y[i]-x[i]-wu[i]))
	}
	for i, s := range c {
		k.Dual = max(k.Dual, math.Abs(u[i])-1)
		if s == 0 {
			k.Coefficients = max(k.Coefficients, math.Abs(z[i]))
			continue
		}
		k.Dual = max(k.Dual, math.Abs(u[i]-float64(s)))
		k.Coefficients = max(k.Coefficients, -float64(s)*z[i])
	}
	return k
}

// zeros returns the number of rows of the zero set of a pattern.
func zeros(pattern []int8) (n int) {
	for _, s := range pattern {
		if s == 0 {
			n++
		}
	}
	return n
}
