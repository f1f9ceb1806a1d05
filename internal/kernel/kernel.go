// Package kernel holds the inner loops of what denoises: of the solvers, of the networks, and of patches and blocks.
//
// A panel holds Lanes signals side by side: a row-major matrix with a row for each sample and a column, or lane, for
// each signal. Every operation on a row does the same to all lanes.
//
// The loops exist in plain Go (generic.go and the *_generic.go files), which is the specification, and in generated
// assembly for AVX2, AVX-512 and NEON. The versions add in different orders and round differently, and differ in
// nothing else: a sum of n products is within n+1 roundings of the exact sum. Every version computes all lanes, and all
// rows of a product, in the same way, so a result does not depend on its position, on its neighbours or on padding.
//
//   - Solvers: Mul, PrimalStep, DualStep and its kin are the iterations. WeightFunction makes bounds from
//     coefficients, CountFree counts the rows that a step leaves free, and Solve is for guided stages.
//   - Networks: Affine and Rectified are layers, Tiles and LargeTiles convolutions, MulIntegers and Fetch products of
//     integers. Logs and LogMagnitudes make what networks and classifiers read.
//   - Patches: Transpose, Group and ExtractPatches move patches between images and panels. Gram, PrincipalAxes and
//     RightMultiply rotate groups of lanes to their principal axes. DCT transforms patches; TransformLines,
//     BlockEnergies and PatchEnergies, in float64, blocks whose noise is measured.
//
// A Matrix, an IntMatrix and a WeightFunction keep the backend that was selected when they were made. All other
// functions use the backend that is selected when they are called.
//
// LargeTiles and MulIntegers give the same results on all backends, unless they overflow. So do TransformLines,
// BlockEnergies and PatchEnergies.
//
// NaN and infinities stay in their lane, or in their block where lanes share means. A product that is NaN makes all
// results that depend on it NaN. Where a sum overflows, or an infinity meets its opposite or zero, the backends may
// differ in whether the result is NaN or infinite. They may also differ in the sign of a zero. Denormals are kept. A
// bound must be zero or more; +Inf never clips.
//
// Functions panic if a slice has the wrong length: the assembly does not check its arguments.
package kernel

import "fmt"

//go:generate go -C internal/gen run . -o ../..

// Lanes is the number of signals of a panel.
const Lanes = 48

// Mul sets c = a b. Panel b has a.Cols rows and panel c has a.Rows.
func Mul(c []float32, a *Matrix, b []float32) {
	check(a, b, c)
	a.backend.mul(c, a.tiles, b, a.Rows, a.Cols)
}

// Affine sets c = a b + bias. There is one bias for each row.
func Affine(c []float32, a *Matrix, b, bias []float32) {
	check(a, b, c)
	checkLen(bias, a.Rows)
	a.backend.affine(c, a.tiles, b, bias, a.Rows, a.Cols)
}

// Rectified sets c = max(a b + bias, 0). There is one bias for each row. NaN stays.
func Rectified(c []float32, a *Matrix, b, bias []float32) {
	check(a, b, c)
	checkLen(bias, a.Rows)
	a.backend.rectified(c, a.tiles, b, bias, a.Rows, a.Cols)
}

// PrimalStep is the second half of an ADMM iteration: x = scale (y + wt v). There is one scale for each of the wt.Rows
// rows of x and y. The panels x and y may be the same.
func PrimalStep(x []float32, wt *Matrix, v, y, scale []float32) {
	check(wt, v, x, y)
	checkLen(scale, wt.Rows)
	wt.backend.primalStep(x, wt.tiles, v, y, scale, wt.Rows, wt.Cols)
}

// DualStep is the first half of an ADMM iteration. Panel x has w.Cols rows, panels q and v have w.Rows:
//
//	s = w x + q
//	u = clip(s, -bound, bound)      the dual; s - u is rho times the split variable z
//	e = u - s
//	q = s + c1 e                    the next iteration adds this to its product
//	v = -q - c2 e                   the primal step multiplies this by w'
//
// There is one bound for each row.
func DualStep(v []float32, w *Matrix, x, q, bounds []float32, c1, c2 float32) {
	check(w, x, v, q)
	checkLen(bounds, w.Rows)
	w.backend.dualStep(v, w.tiles, x, q, bounds, w.Rows, w.Cols, c1, c2)
}

// Pair holds the panels that a dual step of two penalties reads and writes besides its product. Each has a row for each
// row of w.
type Pair struct {
	Q, R []float32 // added to the product in the next iteration, for the first and the second penalty
	D, E []float32 // bounds of the first and the second dual
	P    []float32 // w p, where p is the signal that the second penalty pulls to
	Y    []float32 // w y, where y is the noisy signal
}

// PairStep holds the constants of a dual step of two penalties.
type PairStep struct {
	C1, C2 float32 // as for DualStep
	Rho    float32 // rho of this iteration
	Scale  float32 // factor of the product: rho of this iteration times the relaxation
	Next   float32 // twice the rho of the next iteration
}

// DualStepPair is a whole ADMM iteration for the two penalties d_i |w_i x| and e_i |w_i (x - p)|, which share the
// product w x. ADMM splits z = w x for the first penalty and z' = w x for the second, as if the transform held w twice.
// The z-update of the second penalty is soft thresholding around p, z' = p + S(t/rho - p), where t corresponds to the s
// of the first. Hence its dual, t - rho z', is t - rho p clipped.
//
// The primal step multiplies the sum of both results by w'. Written as a correction of y it is x = y + (1 + 2 rho
// w'w)^-1 w' v, where v is that sum minus 2 rho w y. So w x = w y + a v with the square matrix a = w (1 + 2 rho w'w)^-1
// w', and an iteration is a single product. Panel v comes from the iteration before, panel next is the result; they
// must not overlap:
//
//	s = scale (y + a v) + q         t = scale (y + a v) + r
//	f = clip(s, -d, d) - s          g = clip(t - rho p, -e, e) - t
//	q = s + c1 f                    r = t + c1 g
//	next = (-q - c2 f) + (-r - c2 g) - 2 rho' y
//
// In these formulas y stands for w y and p for w p.
func DualStepPair(next []float32, a *Matrix, v []float32, s Pair, c PairStep) {
	check(a, v, next, s.Q, s.R, s.D, s.E, s.P, s.Y)
	a.backend.dualStepPair(next, a.tiles, v, s.Q, s.R, s.D, s.E, s.P, s.Y, a.Rows, a.Cols, c.C1, c.C2, c.Rho, c.Scale,
		c.Next)
}

// StartPair is DualStepPair at x = p with Q and R zero; it overwrites them. As w x is s.P there, no product is needed,
// and there is no relaxation. The matrix only tells the number of rows.
func StartPair(next []float32, w *Matrix, s Pair, c PairStep) {
	for _, panel := range [][]float32{next, s.Q, s.R, s.D, s.P, s.Y} {
		checkLen(panel, w.Rows*Lanes)
	}
	w.backend.startPair(next, s.Q, s.R, s.D, s.P, s.Y, w.Rows, c.C1, c.C2, c.Rho, c.Next)
}

// Dual writes the clipped dual, u = clip(w x + q, -bound, bound), with one bound for each row. It replaces the last
// DualStep when the dual is the wanted result.
func Dual(u []float32, w *Matrix, x, q, bounds []float32) {
	check(w, x, u, q)
	checkLen(bounds, w.Rows)
	w.backend.dual(u, w.tiles, x, q, bounds, w.Rows, w.Cols)
}

// check panics unless the panels fit the matrix.
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
