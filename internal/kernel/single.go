package kernel

// SingleStep holds the constants of a dual step of one penalty.
type SingleStep struct {
	C1, C2 float32 // as for DualStep
	Scale  float32 // factor of the product: rho of this iteration times the relaxation
	Next   float32 // rho of the next iteration
}

// StartSingle is the first DualStepSingle, at x. It writes w x to y. Q is zero before, and there is no relaxation, so
// c.Scale is rho.
func StartSingle(next []float32, w *Matrix, x, q, y, bounds []float32, c SingleStep) {
	check(w, x, next, q, y)
	checkLen(bounds, w.Rows)
	w.backend.startSingle(next, w.tiles, x, q, y, bounds, w.Rows, w.Cols, c.C1, c.C2, c.Scale, c.Next)
}

// DualStepSingle is a whole ADMM iteration for the penalty |w x|: DualStep and PrimalStep in a single product. Written
// as a correction of a signal, the primal step is x = signal + (1 + rho w'w)^-1 w' v, where v is the v of DualStep
// minus rho y, and y is w times the signal. So w x = y + a v with the square matrix a = w (1 + rho w'w)^-1 w'. Panel v
// comes from the iteration before, panel next is the result; they must not overlap:
//
//	s = scale (y + a v) + q
//	e = clip(s, -bound, bound) - s
//	q = s + c1 e
//	next = (-q - c2 e) - rho' y
//
// There is one bound for each row.
func DualStepSingle(next []float32, a *Matrix, v, q, y, bounds []float32, c SingleStep) {
	check(a, v, next, q, y)
	checkLen(bounds, a.Rows)
	a.backend.dualStepSingle(next, a.tiles, v, q, y, bounds, a.Rows, a.Cols, c.C1, c.C2, c.Scale, c.Next)
}
