package onedim

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
)

// Penalty is a smooth function of one coefficient, in place of its absolute value.
type Penalty interface {
	Value(z float64) float64
	Slope(z float64) float64 // first derivative
	Curve(z float64) float64 // second derivative
}

// Smooth is the lower-level problem with a smooth penalty L instead of the l1 norm,
//
//	x*(W) = argmin_x 1/2 ||x - y||^2 + sum_i L((W x)_i),
//
// and the gradient of 1/2 ||x* - x_t||^2 with respect to W by the implicit function theorem. It keeps scratch memory,
// so two goroutines must not use one Smooth at the same time.
type Smooth struct {
	W solve.Transform
	Penalty
	Most int // Newton steps

	X      []float64    // solution
	Z      []float64    // W X
	Factor mat.Cholesky // of the Hessian at X, I + W' diag(Curve(Z)) W

	r, step, next []float64 // gradient at X, Newton step, and X after a part of it
	scaled        *mat.Dense
}

// NewSmooth returns a solver.
func NewSmooth(w solve.Transform, p Penalty) *Smooth {
	vector := func() []float64 { return make([]float64, w.N) }
	return &Smooth{W: w, Penalty: p, Most: 300, X: vector(), Z: make([]float64, w.K), r: vector(), step: vector(),
		next: vector(), scaled: mat.NewDense(w.K, w.N, nil)}
}

// Solve finds x* and leaves it in X. It returns the largest element of the gradient at X, which tells how exact the
// solution is.
func (s *Smooth) Solve(y []float64) float64 {
	copy(s.X, y)
	return s.Improve(y)
}

// Improve is Solve, but starts from X.
func (s *Smooth) Improve(y []float64) float64 {
	const enough = 1e-12
	value := s.objective(y, s.X)
	for range s.Most {
		residual := s.residual(y)
		s.factorize()
		if residual < enough {
			return residual
		}
		closedform.SolveVec(&s.Factor, s.step, s.r)
		value = s.search(y, value)
	}
	residual := s.residual(y)
	s.factorize()
	return residual
}

// objective returns the objective at x and leaves W x in Z.
func (s *Smooth) objective(y, x []float64) float64 {
	d := floats.Distance(x, y, 2)
	sum := d * d / 2
	s.W.Analyze(s.Z, x)
	for _, z := range s.Z {
		sum += s.Value(z)
	}
	return sum
}

// residual sets r to the gradient at X, and returns its largest element.
func (s *Smooth) residual(y []float64) float64 {
	s.W.Analyze(s.Z, s.X)
	floats.SubTo(s.r, s.X, y)
	for i, z := range s.Z {
		floats.AddScaled(s.r, s.Slope(z), s.W.Row(i))
	}
	return floats.Norm(s.r, math.Inf(1))
}

// factorize computes the Cholesky factor of the Hessian at X.
func (s *Smooth) factorize() {
	for i, z := range s.Z {
		floats.ScaleTo(s.scaled.RawRowView(i), math.Sqrt(s.Curve(z)), s.W.Row(i))
	}
	closedform.FactorizeGram(&s.Factor, 1, s.scaled)
}

// search moves X along the Newton step, halving the step until the objective decreases, and returns the new objective.
func (s *Smooth) search(y []float64, value float64) float64 {
	const halvings = 30
	slope := floats.Dot(s.step, s.r)
	for t, length := 0, 1.0; ; t, length = t+1, length/2 {
		floats.AddScaledTo(s.next, s.X, -length, s.step)
		next := s.objective(y, s.next)
		if next <= value-1e-4*length*slope || t == halvings {
			copy(s.X, s.next)
			return next
		}
	}
}

// Gradient adds the gradient of the loss Q = 1/2 ||x* - target||^2 with respect to W to grad, which is K x N and
// row-major. x* is the solution found last. Gradient returns the loss. With v = H^-1 (x* - target) and the Hessian H,
//
//	dQ/dw_i = -L'(z_i) v - L''(z_i) (w_i v) x*.
func (s *Smooth) Gradient(grad, target []float64) float64 {
	g, v := make([]float64, s.W.N), make([]float64, s.W.N)
	floats.SubTo(g, s.X, target)
	closedform.SolveVec(&s.Factor, v, g)
	for i, z := range s.Z {
		row := grad[i*s.W.N : (i+1)*s.W.N]
		floats.AddScaled(row, -s.Slope(z), v)
		if curve := s.Curve(z); curve != 0 {
			floats.AddScaled(row, -curve*floats.Dot(s.W.Row(i), v), s.X)
		}
	}
	return floats.Dot(g, g) / 2
}

// Huber is the penalty L(z) = z^2/2 if |z| < delta, else delta (|z| - delta/2), as in Y. Chen, R. Ranftl, T. Pock,
// "Insights into analysis operator learning: from patch-based sparse models to higher order MRFs", IEEE Transactions on
// Image Processing 23(3), 2014. The delta is positive, in the unit of W x. The objective is piecewise quadratic, so the
// last Newton step is exact.
type Huber float64

// Value implements Penalty.
func (h Huber) Value(z float64) float64 {
	delta := float64(h)
	if a := math.Abs(z); a >= delta {
		return delta * (a - delta/2)
	}
	return z * z / 2
}

// Slope implements Penalty.
func (h Huber) Slope(z float64) float64 { return max(-float64(h), min(float64(h), z)) }

// Curve implements Penalty.
func (h Huber) Curve(z float64) float64 {
	if math.Abs(z) < float64(h) {
		return 1
	}
	return 0
}
