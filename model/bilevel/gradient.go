package bilevel

import "gonum.org/v1/gonum/floats"

// AddGradient adds to grad (K x N, row-major) the gradient with respect to W of the upper-level loss of one pair,
//
//	Q = 1/2 ||x* - x_t||^2   (eq:upper-level for T = 1),
//
// and returns the loss. It is the Corollary (eq:grad1, eq:except) without a pseudo-inverse. With g = x* - x_t,
// a = W_0^{+T} g = (W_0 W_0')^-1 W_0 g on the zero rows and 0 on the others, P g = g - W_0' a, and u the dual (s on W_±,
// W_0^{+T} q on W_0):
//
//	dQ/dW = -( u (P g)' + a x*' )
//
// Where W_0 is rank deficient, the factor's independent rows stand for W_0; the gradient then is one of those of the
// neighbouring patterns. At x* = 0 on the whole row space it is zero, as it must be.
func (sol *Solution) AddGradient(grad, target []float64) (loss float64) {
	g, rows := sol.pg, sol.factor.rows
	floats.SubTo(g, sol.X, target)
	loss = floats.Dot(g, g) / 2
	a := sol.a[:len(rows)]
	for j, i := range rows {
		a[j] = floats.Dot(sol.w.Row(i), g)
	}
	sol.factor.solve(a)
	for j, i := range rows {
		floats.AddScaled(g, -a[j], sol.w.Row(i)) // P g
	}
	n := sol.w.N
	for i, u := range sol.Dual {
		if u != 0 {
			floats.AddScaled(grad[i*n:(i+1)*n], -u, g)
		}
	}
	for j, i := range rows {
		floats.AddScaled(grad[i*n:(i+1)*n], -a[j], sol.X)
	}
	return loss
}
