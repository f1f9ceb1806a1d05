package onedim

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// Huber is the lower-level problem with a smooth penalty instead of the l1 norm,
//
//	x*(W) = argmin_x 1/2 ||x - y||^2 + sum_i L((W x)_i),   L(z) = z^2/2 if |z| < Delta, else Delta (|z| - Delta/2),
//
// and the gradient of 1/2 ||x* - x_t||^2 with respect to W by the implicit function theorem, as in Y. Chen, R. Ranftl,
// T. Pock, "Insights into analysis operator learning: from patch-based sparse models to higher order MRFs", IEEE
// Transactions on Image Processing 23(3), 2014. It keeps scratch memory, so two goroutines must not use one Huber at
// the same time.
type Huber struct {
	W     solve.Transform
	Delta float64 // in the unit of W x

	X       []float64     // solution of the last Solve
	z       []float64     // W X
	r, step []float64     // gradient at X and Newton step
	hessian *mat.SymDense // I + W_inner' W_inner
	factor  mat.Cholesky  // of the Hessian
	inner   []int         // rows with |z| < Delta
}

// NewHuber returns a solver for a transform and a delta > 0.
func NewHuber(w solve.Transform, delta float64) *Huber {
	return &Huber{W: w, Delta: delta, X: make([]float64, w.N), z: make([]float64, w.K), r: make([]float64, w.N),
		step: make([]float64, w.N), hessian: mat.NewSymDense(w.N, nil)}
}

// Solve finds x* by Newton's method and leaves it in X. The objective is piecewise quadratic, so the last step is
// exact. Solve returns the largest element of the gradient at X, which tells how exact the solution is.
func (h *Huber) Solve(y []float64) float64 {
	const most, enough = 300, 1e-11
	copy(h.X, y)
	value := h.objective(y, h.X)
	for range most {
		residual := h.residual(y)
		h.factorize()
		if residual < enough {
			return residual
		}
		h.solve(h.step, h.r)
		value = h.search(y, value)
	}
	return h.residual(y)
}

// objective returns the objective at x and leaves W x in z.
func (h *Huber) objective(y, x []float64) float64 {
	d := floats.Distance(x, y, 2)
	sum := d * d / 2
	h.W.Analyze(h.z, x)
	for _, z := range h.z {
		if a := math.Abs(z); a < h.Delta {
			sum += a * a / 2
		} else {
			sum += h.Delta * (a - h.Delta/2)
		}
	}
	return sum
}

// residual sets r to the gradient at X and inner to the rows there, and returns the gradient's largest element.
func (h *Huber) residual(y []float64) float64 {
	h.W.Analyze(h.z, h.X)
	h.inner = h.inner[:0]
	floats.SubTo(h.r, h.X, y)
	for i, z := range h.z {
		if math.Abs(z) < h.Delta {
			h.inner = append(h.inner, i)
		}
		floats.AddScaled(h.r, h.slope(z), h.W.Row(i))
	}
	return floats.Norm(h.r, math.Inf(1))
}

// slope returns L'(z).
func (h *Huber) slope(z float64) float64 { return max(-h.Delta, min(h.Delta, z)) }

// factorize computes the Hessian at X, I + W_inner' W_inner, and its Cholesky factor.
func (h *Huber) factorize() {
	rows := mat.NewDense(max(1, len(h.inner)), h.W.N, nil)
	for j, i := range h.inner {
		rows.SetRow(j, h.W.Row(i))
	}
	h.hessian.SymOuterK(1, rows.T())
	for i := range h.W.N {
		h.hessian.SetSym(i, i, h.hessian.At(i, i)+1)
	}
	h.factor.Factorize(h.hessian)
}

// solve sets dst to the inverse of the Hessian times b.
func (h *Huber) solve(dst, b []float64) {
	// The Hessian minus the identity is positive semidefinite, so its condition is never too bad to solve.
	_ = h.factor.SolveVecTo(mat.NewVecDense(len(dst), dst), mat.NewVecDense(len(b), b))
}

// search moves X along the Newton step, halving the step until the objective decreases, and returns the new objective.
func (h *Huber) search(y []float64, value float64) float64 {
	const halvings = 30
	slope := floats.Dot(h.step, h.r)
	x := make([]float64, len(h.X))
	for t, length := 0, 1.0; ; t, length = t+1, length/2 {
		floats.AddScaledTo(x, h.X, -length, h.step)
		next := h.objective(y, x)
		if next <= value-1e-4*length*slope || t == halvings {
			copy(h.X, x)
			return next
		}
	}
}

// Gradient adds the gradient of the loss Q = 1/2 ||x* - target||^2 with respect to W to grad, which is K x N and
// row-major. x* is the solution of the last Solve. Gradient returns the loss. With v = (I + W_inner' W_inner)^-1 (x* -
// target),
//
//	dQ/dw_i = -L'(z_i) v - [i inner] (w_i v) x*.
func (h *Huber) Gradient(grad, target []float64) float64 {
	g, v := make([]float64, h.W.N), make([]float64, h.W.N)
	floats.SubTo(g, h.X, target)
	h.solve(v, g)
	for i, z := range h.z {
		row := grad[i*h.W.N : (i+1)*h.W.N]
		floats.AddScaled(row, -h.slope(z), v)
		if math.Abs(z) < h.Delta {
			floats.AddScaled(row, -floats.Dot(h.W.Row(i), v), h.X)
		}
	}
	return floats.Dot(g, g) / 2
}
