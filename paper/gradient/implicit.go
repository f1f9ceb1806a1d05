package gradient

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/onedim"
)

// Implicit smooths the absolute value, |z|, to (z^2 + Epsilon^2)^(1/2) and differentiates the solution by the implicit
// function theorem: G. Peyré, J. Fadili, "Learning analysis sparsity priors", SampTA 2011. The gradient is exact for
// the smoothed problem.
type Implicit struct {
	Epsilon float64 // in the unit of W x
	// Explicit forms dx*/dW as an n x kn matrix, as the paper assumes when it counts memory. Otherwise one linear
	// system is solved for the one vector that the loss needs.
	Explicit bool

	p Problem
	s *onedim.Smooth
}

// rounded is (z^2 + epsilon^2)^(1/2) as an onedim.Penalty. Its value is epsilon.
type rounded float64

// Value implements onedim.Penalty.
func (e rounded) Value(z float64) float64 { return math.Hypot(z, float64(e)) }

// Slope implements onedim.Penalty.
func (e rounded) Slope(z float64) float64 { return z / e.Value(z) }

// Curve implements onedim.Penalty.
func (e rounded) Curve(z float64) float64 {
	h := e.Value(z)
	return float64(e) * float64(e) / (h * h * h)
}

// Name implements Method.
func (m *Implicit) Name() string {
	if m.Explicit {
		return "implicit, explicit"
	}
	return "implicit, smoothed"
}

// Solve implements Method. It starts with a large Epsilon and lowers it to its value.
func (m *Implicit) Solve(p Problem) ([]float64, error) {
	epsilon := max(1, m.Epsilon)
	m.p, m.s = p, onedim.NewSmooth(p.W, rounded(epsilon))
	m.s.Most = 60 // for each epsilon; a small one leaves rounding errors
	m.s.Solve(p.Y)
	for epsilon > m.Epsilon {
		epsilon = max(m.Epsilon, epsilon/4)
		m.s.Penalty = rounded(epsilon)
		m.s.Improve(p.Y)
	}
	return m.s.X, nil
}

// Gradient implements Method.
func (m *Implicit) Gradient() (solve.Transform, error) {
	grad := solve.NewTransform(m.p.W.K, m.p.W.N)
	if m.Explicit {
		m.explicit(grad)
	} else {
		m.s.Gradient(grad.W, m.p.Target)
	}
	return grad, nil
}

// explicit computes all columns of dx*/dW and multiplies by x* - x_t.
func (m *Implicit) explicit(grad solve.Transform) {
	w, s := m.p.W, m.s
	g := make([]float64, w.N)
	floats.SubTo(g, s.X, m.p.Target)
	jacobian := mat.NewDense(w.N, w.K*w.N, nil)
	for i, z := range s.Z {
		for r, wr := range w.Row(i) {
			row := jacobian.RawRowView(r)[i*w.N : (i+1)*w.N]
			floats.AddScaled(row, -s.Curve(z)*wr, s.X)
			row[r] -= s.Slope(z)
		}
	}
	_ = s.Factor.SolveTo(jacobian, jacobian)
	mat.NewVecDense(len(grad.W), grad.W).MulVec(jacobian.T(), mat.NewVecDense(w.N, g))
}
