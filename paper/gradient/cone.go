package gradient

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/closedform"
)

// Cone writes the lower level as a quadratic program with inequalities,
//
//	min_(x,t) 1/2 ||x - y||^2 + sum t   so that   -t <= W x <= t,
//
// solves it by an interior-point method, and differentiates its whole KKT system: B. Amos, J. Z. Kolter, "OptNet:
// differentiable optimization as a layer in neural networks", ICML 2017; A. Agrawal, S. Barratt, S. Boyd, E. Busseti,
// W. Moursi, "Differentiating through a cone program", Journal of Applied and Numerical Optimization 1(2), 2019. It
// stands for general software for cone programs, which does not use that the zero set is known and that the rest is a
// projection.
type Cone struct {
	p            Problem
	x, t         []float64 // solution
	above, below []float64 // multipliers of W x <= t and -W x <= t
	z            []float64 // W x
}

// Name implements Method.
func (*Cone) Name() string { return "cone program" }

// Solve implements Method by a primal-dual interior-point method (S. J. Wright, "Primal-dual interior-point methods",
// SIAM, 1997). t, the slacks and the multipliers are eliminated from the linear system of each step.
func (c *Cone) Solve(p Problem) ([]float64, error) {
	const most = 100
	const tolerance = 1e-12 // of the duality gap, relative; the error of the gradient is about its square root
	k := p.W.K
	c.p, c.x, c.z = p, append([]float64(nil), p.Y...), make([]float64, k)
	c.t, c.above, c.below = make([]float64, k), make([]float64, k), make([]float64, k)
	p.W.Analyze(c.z, c.x)
	for i, z := range c.z {
		c.t[i], c.above[i], c.below[i] = math.Abs(z)+1, 0.5, 0.5
	}
	scale := 1 + floats.Dot(p.Y, p.Y)
	for range most {
		gap := 0.0
		for i, z := range c.z {
			gap += c.above[i]*(c.t[i]-z) + c.below[i]*(c.t[i]+z)
		}
		r := c.stationarity()
		if gap < tolerance*scale && floats.Norm(r, math.Inf(1)) < tolerance {
			break
		}
		if err := c.step(r, 0.1*gap/float64(2*k)); err != nil {
			return nil, err
		}
	}
	return c.x, nil
}

// stationarity returns x - y + W'(above - below), which is zero at the solution.
func (c *Cone) stationarity() []float64 {
	r, u := make([]float64, c.p.W.N), make([]float64, c.p.W.K)
	floats.SubTo(u, c.above, c.below)
	c.p.W.AnalyzeAdjoint(r, u)
	floats.Add(r, c.x)
	floats.Sub(r, c.p.Y)
	return r
}

// step makes one Newton step towards the point of the central path at which each product of a slack and its multiplier
// is mu. r is the stationarity.
func (c *Cone) step(r []float64, mu float64) error {
	w := c.p.W
	scaled := mat.NewDense(w.K, w.N, append([]float64(nil), w.W...))
	a := make([]float64, w.K) // change of above - below if x stays
	for i, z := range c.z {
		s1, s2 := c.t[i]-z, c.t[i]+z
		d1, d2 := c.above[i]/s1, c.below[i]/s2
		e1, e2 := mu/s1-c.above[i], mu/s2-c.below[i]
		a[i] = e1 - e2 - (d1-d2)*(e1+e2-(1-c.above[i]-c.below[i]))/(d1+d2)
		floats.Scale(math.Sqrt(4*d1*d2/(d1+d2)), scaled.RawRowView(i))
	}
	var factor mat.Cholesky
	if !closedform.FactorizeGram(&factor, 1, scaled) {
		return ErrSingular
	}
	right, dx, dz := make([]float64, w.N), make([]float64, w.N), make([]float64, w.K)
	w.AnalyzeAdjoint(right, a)
	floats.Add(right, r)
	floats.Scale(-1, right)
	closedform.SolveVec(&factor, dx, right)
	w.Analyze(dz, dx)
	c.move(dx, dz, mu)
	return nil
}

// move computes the step of t and of the multipliers from the step of x, dx, and of W x, dz. It shortens the step such
// that slacks and multipliers stay positive.
func (c *Cone) move(dx, dz []float64, mu float64) {
	const most = 0.995
	k := len(dz)
	dt, dAbove, dBelow := make([]float64, k), make([]float64, k), make([]float64, k)
	length := 1.0
	limit := func(v, dv float64) {
		if dv < 0 {
			length = min(length, -most*v/dv)
		}
	}
	for i, z := range c.z {
		s1, s2 := c.t[i]-z, c.t[i]+z
		d1, d2 := c.above[i]/s1, c.below[i]/s2
		e1, e2 := mu/s1-c.above[i], mu/s2-c.below[i]
		dt[i] = (e1 + e2 - (1 - c.above[i] - c.below[i]) + (d1-d2)*dz[i]) / (d1 + d2)
		dAbove[i] = e1 - d1*(dt[i]-dz[i])
		dBelow[i] = e2 - d2*(dt[i]+dz[i])
		limit(s1, dt[i]-dz[i])
		limit(s2, dt[i]+dz[i])
		limit(c.above[i], dAbove[i])
		limit(c.below[i], dBelow[i])
	}
	floats.AddScaled(c.x, length, dx)
	floats.AddScaled(c.t, length, dt)
	floats.AddScaled(c.above, length, dAbove)
	floats.AddScaled(c.below, length, dBelow)
	c.p.W.Analyze(c.z, c.x)
}

// Gradient implements Method. It solves the transposed KKT system for all n + 3k unknowns.
func (c *Cone) Gradient() (solve.Transform, error) {
	w := c.p.W
	n, k := w.N, w.K
	t, l1, l2 := n, n+k, n+2*k // offsets of the unknowns t, above and below; the equations have the same order
	m := mat.NewDense(n+3*k, n+3*k, nil)
	for i := range n { // x - y + W'(above - below) = 0
		m.Set(i, i, 1)
		for r := range k {
			m.Set(i, l1+r, w.Row(r)[i])
			m.Set(i, l2+r, -w.Row(r)[i])
		}
	}
	for r, z := range c.z {
		m.Set(t+r, l1+r, -1) // 1 - above - below = 0
		m.Set(t+r, l2+r, -1)
		for i, v := range w.Row(r) { // above (W x - t) = 0, below (-W x - t) = 0
			m.Set(l1+r, i, c.above[r]*v)
			m.Set(l2+r, i, -c.below[r]*v)
		}
		m.Set(l1+r, t+r, -c.above[r])
		m.Set(l2+r, t+r, -c.below[r])
		m.Set(l1+r, l1+r, z-c.t[r])
		m.Set(l2+r, l2+r, -z-c.t[r])
	}
	g := make([]float64, n+3*k)
	floats.SubTo(g[:n], c.x, c.p.Target)
	var lu mat.LU
	if lu.Factorize(m); math.IsInf(lu.Cond(), 1) {
		return solve.Transform{}, ErrSingular
	}
	v := mat.NewVecDense(n+3*k, nil)
	_ = lu.SolveVecTo(v, true, mat.NewVecDense(n+3*k, g)) // it solves what has a large condition, too
	grad := solve.NewTransform(k, n)
	for r := range k {
		row := grad.Row(r)
		floats.AddScaled(row, c.below[r]-c.above[r], v.RawVector().Data[:n])
		floats.AddScaled(row, c.below[r]*v.AtVec(l2+r)-c.above[r]*v.AtVec(l1+r), c.x)
	}
	return grad, nil
}
