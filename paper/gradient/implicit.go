package gradient

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// Implicit smooths the absolute value, |z|, to (z^2 + Epsilon^2)^(1/2) and differentiates the solution by the implicit
// function theorem: G. Peyré, J. Fadili, "Learning analysis sparsity priors", SampTA 2011. The gradient is exact for
// the smoothed problem.
type Implicit struct {
	Epsilon float64 // in the unit of W x
	// Explicit forms dx*/dW as an n x kn matrix, as the paper assumes when it counts memory. Otherwise one linear
	// system is solved for the one vector that the loss needs.
	Explicit bool

	p      Problem
	x, z   []float64    // solution and W x
	factor mat.Cholesky // of the Hessian at x
}

// Name implements Method.
func (m *Implicit) Name() string {
	if m.Explicit {
		return "implicit, explicit"
	}
	return "implicit, smoothed"
}

// slope returns the first derivative of the penalty.
func (m *Implicit) slope(z float64) float64 { return z / math.Hypot(z, m.Epsilon) }

// curve returns the second derivative of the penalty.
func (m *Implicit) curve(z float64) float64 {
	h := math.Hypot(z, m.Epsilon)
	return m.Epsilon * m.Epsilon / (h * h * h)
}

// Solve implements Method by Newton's method with a line search. It starts with a large Epsilon and lowers it to its
// value.
func (m *Implicit) Solve(p Problem) ([]float64, error) {
	m.p = p
	m.x, m.z = append([]float64(nil), p.Y...), make([]float64, p.W.K)
	final := m.Epsilon
	defer func() { m.Epsilon = final }()
	for m.Epsilon = max(1, final); ; m.Epsilon = max(final, m.Epsilon/4) {
		if err := m.newton(); err != nil {
			return nil, err
		}
		if m.Epsilon == final {
			return m.x, nil
		}
	}
}

// newton minimizes the objective for the present Epsilon, starting from x.
func (m *Implicit) newton() error {
	const most, enough = 60, 1e-12
	n := m.p.W.N
	r, step, next := make([]float64, n), make([]float64, n), make([]float64, n)
	value := m.objective(m.x)
	for range most {
		m.residual(r)
		if err := m.factorize(); err != nil {
			return err
		}
		if floats.Norm(r, math.Inf(1)) < enough {
			break
		}
		_ = m.factor.SolveVecTo(mat.NewVecDense(n, step), mat.NewVecDense(n, r)) // the Hessian is at least the identity
		descent := floats.Dot(r, step)
		length := 1.0
		for ; length > 1e-9; length /= 2 {
			floats.AddScaledTo(next, m.x, -length, step)
			if v := m.objective(next); v <= value-1e-4*length*descent {
				value = v
				break
			}
		}
		copy(m.x, next)
	}
	m.objective(m.x)
	return m.factorize()
}

// objective returns the objective at x and leaves W x in z.
func (m *Implicit) objective(x []float64) float64 {
	d := floats.Distance(x, m.p.Y, 2)
	sum := d * d / 2
	m.p.W.Analyze(m.z, x)
	for _, z := range m.z {
		sum += math.Hypot(z, m.Epsilon)
	}
	return sum
}

// residual sets r to the gradient of the objective at x.
func (m *Implicit) residual(r []float64) {
	m.p.W.Analyze(m.z, m.x)
	floats.SubTo(r, m.x, m.p.Y)
	for i, z := range m.z {
		floats.AddScaled(r, m.slope(z), m.p.W.Row(i))
	}
}

// factorize computes the Cholesky factor of the Hessian at x.
func (m *Implicit) factorize() error {
	w := m.p.W
	scaled := mat.NewDense(w.K, w.N, append([]float64(nil), w.W...))
	for i, z := range m.z {
		floats.Scale(math.Sqrt(m.curve(z)), scaled.RawRowView(i))
	}
	hessian := mat.NewSymDense(w.N, nil)
	hessian.SymOuterK(1, scaled.T())
	for i := range w.N {
		hessian.SetSym(i, i, hessian.At(i, i)+1)
	}
	if !m.factor.Factorize(hessian) {
		return ErrSingular
	}
	return nil
}

// Gradient implements Method.
func (m *Implicit) Gradient() (solve.Transform, error) {
	w := m.p.W
	grad := solve.NewTransform(w.K, w.N)
	g := make([]float64, w.N)
	floats.SubTo(g, m.x, m.p.Target)
	if m.Explicit {
		m.explicit(grad, g)
		return grad, nil
	}
	v := make([]float64, w.N)
	_ = m.factor.SolveVecTo(mat.NewVecDense(w.N, v), mat.NewVecDense(w.N, g))
	for i, z := range m.z {
		floats.AddScaled(grad.Row(i), -m.slope(z), v)
		floats.AddScaled(grad.Row(i), -m.curve(z)*floats.Dot(w.Row(i), v), m.x)
	}
	return grad, nil
}

// explicit computes all columns of dx*/dW and multiplies by g.
func (m *Implicit) explicit(grad solve.Transform, g []float64) {
	w := m.p.W
	jacobian := mat.NewDense(w.N, w.K*w.N, nil)
	for i, z := range m.z {
		for r, wr := range w.Row(i) {
			row := jacobian.RawRowView(r)[i*w.N : (i+1)*w.N]
			floats.AddScaled(row, -m.curve(z)*wr, m.x)
			row[r] -= m.slope(z)
		}
	}
	_ = m.factor.SolveTo(jacobian, jacobian)
	mat.NewVecDense(len(grad.W), grad.W).MulVec(jacobian.T(), mat.NewVecDense(w.N, g))
}
