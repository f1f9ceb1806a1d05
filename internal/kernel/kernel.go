// Package kernel holds the hot loops of the panel solver. A panel is Lanes signals side by side: a matrix with one row
// per sample and one column (lane) per signal, row-major, so that every operation on a row is the same for all lanes.
//
// The loops exist in plain Go (generic.go, which says what each computes) and in assembly for AVX2, AVX-512 and NEON, which
// a generator writes. They differ in the order of sums and in rounding only: a sum of n products is within n+1 roundings
// of the exact one. Each of them computes every lane and every row of a product in the same way wherever it stands, so
// results depend neither on the neighbours nor on padding.
//
// Besides, there is what surrounds the solver: bounds made from coefficients (WeightFunction), the rows that a step leaves
// free (CountFree), moving patches between images and panels (Transpose, Group), and rotating groups of lanes to their
// principal axes (Gram, PrincipalAxes, RightMultiply). Those that are not told otherwise run on the backend that is selected when they
// are called.
//
// NaN and infinite values stay in their lane, or where lanes share means, in their block. A product that is NaN gives NaN
// everywhere it goes; where sums overflow, or an infinity meets its opposite or zero, which of them it is depends on the
// kernel, as does the sign of a zero. Denormals are kept. A bound must be zero or more, or +Inf, which never clips.
package kernel

import "fmt"

//go:generate go -C internal/gen run . -o ../..

// Lanes is the number of signals of a panel.
const Lanes = 48

// Mul sets c = a b, with a panel b of a.Cols rows and c of a.Rows.
func Mul(c []float32, a *Matrix, b []float32) {
	check(a, b, c)
	a.backend.mul(c, a.tiles, b, a.Rows, a.Cols)
}

// PrimalStep is the second half of an ADMM iteration: x = scale (y + wt v), with one scale for each of the wt.Rows rows
// of x and y, which may be the same panel.
func PrimalStep(x []float32, wt *Matrix, v, y, scale []float32) {
	check(wt, v, x, y)
	checkLen(scale, wt.Rows)
	wt.backend.primalStep(x, wt.tiles, v, y, scale, wt.Rows, wt.Cols)
}

// DualStep is the first half of an ADMM iteration, for panels x of w.Cols rows, and q and v of w.Rows:
//
//	s = w x + q
//	u = clip(s, -bound, bound)      the dual; s - u is rho times the split variable z
//	e = u - s
//	q = s + c1 e                    what the next iteration adds to its product
//	v = -q - c2 e                   what the primal step multiplies by w'
//
// with one bound for each row.
func DualStep(v []float32, w *Matrix, x, q, bounds []float32, c1, c2 float32) {
	check(w, x, v, q)
	checkLen(bounds, w.Rows)
	w.backend.dualStep(v, w.tiles, x, q, bounds, w.Rows, w.Cols, c1, c2)
}

// Pair is what a dual step of two penalties reads and keeps besides its product: panels with a row for each row of w.
type Pair struct {
	Q, R []float32 // what the next iteration adds to its product, for the first and the second penalty
	D, E []float32 // bounds of the duals of the first and the second
	P    []float32 // w p, the product at the point that the second pulls to
	Y    []float32 // w y, the product at the noisy signal
}

// PairStep holds the constants of a dual step of two penalties.
type PairStep struct {
	C1, C2 float32 // as of DualStep
	Rho    float32 // of this iteration
	Scale  float32 // of the product: rho of this iteration times the relaxation
	Next   float32 // twice rho of the next iteration
}

// DualStepPair is a whole ADMM iteration for two penalties d_i |w_i x| and e_i |w_i (x - p)|, which share the product
// w x. ADMM splits z = w x for the first penalty and z' = w x for the second, as if w stood twice in the transform. The
// z-update of the second is soft thresholding around p, z' = p + S(t/rho - p), where t is what s is to the first; hence its
// dual, t - rho z', is t - rho p clipped.
//
// The primal step multiplies the sum of what both give by w'. Written as a correction of y it is
// x = y + (1 + 2 rho w'w)^-1 w' v, where v is that sum less 2 rho w y. So w x = w y + a v with a square matrix
// a = w (1 + 2 rho w'w)^-1 w', and with panels v of the iteration before and next of this one, which must not overlap, an
// iteration is a single product:
//
//	s = scale (y + a v) + q         t = scale (y + a v) + r
//	f = clip(s, -d, d) - s          g = clip(t - rho p, -e, e) - t
//	q = s + c1 f                    r = t + c1 g
//	next = (-q - c2 f) + (-r - c2 g) - 2 rho' y
//
// where y stands for w y, and p for w p.
func DualStepPair(next []float32, a *Matrix, v []float32, s Pair, c PairStep) {
	check(a, v, next, s.Q, s.R, s.D, s.E, s.P, s.Y)
	a.backend.dualStepPair(next, a.tiles, v, s.Q, s.R, s.D, s.E, s.P, s.Y, a.Rows, a.Cols, c.C1, c.C2, c.Rho, c.Scale, c.Next)
}

// StartPair is DualStepPair at x = p, with Q and R that are zero and are overwritten: w x is s.P then, and no product is
// left to do, nor is anything relaxed. The matrix only says how many rows there are.
func StartPair(next []float32, w *Matrix, s Pair, c PairStep) {
	for _, panel := range [][]float32{next, s.Q, s.R, s.D, s.P, s.Y} {
		checkLen(panel, w.Rows*Lanes)
	}
	w.backend.startPair(next, s.Q, s.R, s.D, s.P, s.Y, w.Rows, c.C1, c.C2, c.Rho, c.Next)
}

// Dual writes the clipped dual itself, u = clip(w x + q, -bound, bound), with one bound for each row. It is the last step
// of a solution of which the dual is wanted.
func Dual(u []float32, w *Matrix, x, q, bounds []float32) {
	check(w, x, u, q)
	checkLen(bounds, w.Rows)
	w.backend.dual(u, w.tiles, x, q, bounds, w.Rows, w.Cols)
}

// check guards memory: assembly takes the sizes at their word.
func check(a *Matrix, b []float32, results ...[]float32) {
	checkLen(b, a.Cols*Lanes)
	for _, p := range results {
		checkLen(p, a.Rows*Lanes)
	}
}

func checkLen(v []float32, n int) {
	if len(v) != n {
		panic(fmt.Sprintf("kernel: %d values where %d are needed", len(v), n))
	}
}
