package gradient

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
)

// Unrolled differentiates a fixed number of ADMM iterations by reverse mode: P. Ochs, R. Ranftl, T. Brox, T. Pock,
// "Bilevel optimization with nonsmooth lower level problems", SSVM 2015. The gradient is exact for the result of the
// iterations, which only approximates x*.
type Unrolled struct {
	Iterations int
	Penalty    float64 // penalty of ADMM; 0 = one over the mean squared norm of the rows of W
	// Explicit forms the derivative of the x of each iteration with respect to W as an n x kn matrix before it is
	// multiplied, as the paper assumes when it counts memory. Otherwise only products with vectors are formed.
	Explicit bool

	p       Problem
	rho     float64
	factor  mat.Cholesky // of I + rho W'W
	history []unrolledStep
	x       []float64
}

// unrolledStep keeps what the gradient needs of one iteration.
type unrolledStep struct {
	d, x, wx []float64 // z - u before, x, W x
	outside  []bool    // elements that thresholding did not set to zero
}

// Name implements Method.
func (u *Unrolled) Name() string {
	if u.Explicit {
		return "unrolled, explicit"
	}
	return "unrolled"
}

// Solve implements Method.
//
//	x = (I + rho W'W)^-1 (y + rho W'(z - u)),   z = S_(1/rho)(W x + u),   u = u + W x - z
func (u *Unrolled) Solve(p Problem) ([]float64, error) {
	w := p.W
	u.p, u.history, u.rho = p, nil, u.Penalty
	if u.rho == 0 {
		u.rho = float64(w.K) / max(floats.Dot(w.W, w.W), 1e-12)
	}
	if !closedform.FactorizeGram(&u.factor, u.rho, mat.NewDense(w.K, w.N, w.W)) {
		return nil, ErrSingular
	}
	z, dual := make([]float64, w.K), make([]float64, w.K)
	b := make([]float64, w.N)
	for range u.Iterations {
		s := unrolledStep{make([]float64, w.K), make([]float64, w.N), make([]float64, w.K), make([]bool, w.K)}
		floats.SubTo(s.d, z, dual)
		w.AnalyzeAdjoint(b, s.d)
		floats.AddScaledTo(b, p.Y, u.rho, b)
		closedform.SolveVec(&u.factor, s.x, b)
		w.Analyze(s.wx, s.x)
		for i, h := range s.wx {
			v := h + dual[i]
			z[i] = closedform.SoftThreshold(v, 1/u.rho)
			dual[i] = v - z[i]
			s.outside[i] = z[i] != 0
		}
		u.history = append(u.history, s)
	}
	u.x = u.history[u.Iterations-1].x
	return u.x, nil
}

// Gradient implements Method.
func (u *Unrolled) Gradient() (solve.Transform, error) {
	w := u.p.W
	grad := solve.NewTransform(w.K, w.N)
	dz, du, dh := make([]float64, w.K), make([]float64, w.K), make([]float64, w.K)
	dx, through := make([]float64, w.N), make([]float64, w.N)
	floats.SubTo(dx, u.x, u.p.Target)
	var explicit *jacobian
	if u.Explicit {
		explicit = u.newJacobian()
	}
	for t := len(u.history) - 1; t >= 0; t-- {
		s := u.history[t]
		if t < len(u.history)-1 { // the result does not depend on the last z and u
			for i, outside := range s.outside {
				dh[i] = du[i]
				if outside {
					dh[i] = dz[i]
				}
			}
			addOuter(grad, 1, dh, s.x)
			w.AnalyzeAdjoint(dx, dh)
		}
		closedform.SolveVec(&u.factor, through, dx)
		wt := make([]float64, w.K)
		w.Analyze(wt, through)
		if u.Explicit {
			explicit.add(grad, s, dx)
		} else { // x = A^-1 b with A = I + rho W'W and b = y + rho W'd
			addOuter(grad, -u.rho, wt, s.x)
			addOuter(grad, -u.rho, s.wx, through)
			addOuter(grad, u.rho, s.d, through)
		}
		for i, v := range wt {
			dz[i], du[i] = u.rho*v, dh[i]-u.rho*v
		}
	}
	return grad, nil
}

// jacobian is the matrix of derivatives of the x of one iteration with respect to the elements of W. All iterations
// share its memory.
type jacobian struct {
	u       *Unrolled
	inverse mat.SymDense
	columns [][]float64 // A^-1 w_i
	j       *mat.Dense  // n x kn
}

// newJacobian prepares what all iterations share.
func (u *Unrolled) newJacobian() *jacobian {
	w := u.p.W
	e := &jacobian{u: u, j: mat.NewDense(w.N, w.K*w.N, nil)}
	_ = u.factor.InverseTo(&e.inverse)
	for i := range w.K {
		e.columns = append(e.columns, make([]float64, w.N))
		closedform.SolveVec(&u.factor, e.columns[i], w.Row(i))
	}
	return e
}

// add adds dx' J to the gradient for one iteration. The columns of J are
//
//	dx/dw_ij = rho A^-1 (e_j (d - W x)_i - w_i x_j).
func (e *jacobian) add(grad solve.Transform, s unrolledStep, dx []float64) {
	w := e.u.p.W
	for i := range w.K {
		for r := range w.N {
			row := e.j.RawRowView(r)[i*w.N : (i+1)*w.N]
			for j := range row {
				row[j] = e.u.rho * (e.inverse.At(r, j)*(s.d[i]-s.wx[i]) - e.columns[i][r]*s.x[j])
			}
		}
	}
	sum := mat.NewVecDense(len(grad.W), nil)
	sum.MulVec(e.j.T(), mat.NewVecDense(w.N, dx))
	floats.Add(grad.W, sum.RawVector().Data)
}

// addOuter adds c a b' to a matrix.
func addOuter(m solve.Transform, c float64, a, b []float64) {
	for i, v := range a {
		if v != 0 {
			floats.AddScaled(m.Row(i), c*v, b)
		}
	}
}
