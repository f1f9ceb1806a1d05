package solve

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Status says why ADMM stopped.
type Status int

const (
	// MaxIterations means that the residuals were still above the tolerance after all iterations of the schedule.
	MaxIterations Status = iota
	// Converged means that both residuals fell below the tolerance.
	Converged
)

func (s Status) String() string {
	return [...]string{"iterations used up", "residuals below tolerance"}[s]
}

// ADMM solves the lower-level problem min_x 1/2 ||x - y||^2 + ||W x||_1 (eq:analysis) for one signal in float64. It is
// the reference for the fast PanelSolver and has the steps of an iteration in their plain form:
//
//	split     z = W x, scaled dual u (Boyd, Parikh, Chu, Peleato, Eckstein: Distributed optimization and statistical
//	          learning via ADMM, Foundations and Trends in Machine Learning, 2011, section 6.4)
//	x-update  x = (I + rho W'W)^-1 (y + rho W'(z - u))
//	relax     h = a W x + (1 - a) z                        (section 3.4.3)
//	z-update  z = S_(1/rho)(h + u)
//	dual      u = u + h - z
//
// It works on scaled rows in the eigenbasis of W'W, where rho may change at every iteration (see eigenbasis). Only one
// goroutine may use an ADMM at a time, since it keeps scratch memory.
type ADMM struct {
	Schedule
	// Tolerance ends the run when the primal residual ||W x - z|| and the dual residual rho ||W'(z - z_old)||, both for
	// the scaled rows, are below it. With 0, all iterations run.
	Tolerance float64

	basis         eigenbasis
	ye, xe, te, g []float64 // n: rotated signal, solution, W'(z-u), and scratch
	z, zOld, u, c []float64 // k
}

// Result is the result of ADMM.
type Result struct {
	X              []float64 // solution, N samples
	Dual           []float64 // u, K values with |u_i| <= 1; at the solution y - x = W'u
	Status         Status
	Iterations     int
	PrimalResidual float64
	DualResidual   float64
}

func (r Result) String() string {
	return fmt.Sprintf("%v after %d iterations, primal residual %.2g, dual residual %.2g",
		r.Status, r.Iterations, r.PrimalResidual, r.DualResidual)
}

// NewADMM prepares the solver for a transform.
func NewADMM(w Transform, s Schedule) *ADMM {
	n, k := make([]float64, 4*w.N), make([]float64, 4*w.K)
	a := &ADMM{Schedule: s, basis: newEigenbasis(w)}
	a.ye, a.xe, a.te, a.g = n[:w.N], n[w.N:2*w.N], n[2*w.N:3*w.N], n[3*w.N:]
	a.z, a.zOld, a.u, a.c = k[:w.K], k[w.K:2*w.K], k[2*w.K:3*w.K], k[3*w.K:]
	return a
}

// Solve runs ADMM for a signal y of N samples. It starts at x = y, with the z-update and the dual update at h = W y.
func (a *ADMM) Solve(y []float64) Result {
	b := &a.basis
	mulVec(a.ye, b.rotate.T(), y)
	copy(a.xe, a.ye)
	mulVec(a.c, b.rows, a.xe)
	r := Result{}
	rho := a.Rho(0)
	for i, h := range a.c {
		a.z[i] = SoftThreshold(h, b.bounds[i]/rho)
		a.u[i] = h - a.z[i]
	}
	for t := range a.Iterations {
		next := a.Rho(t)
		for i := range a.u { // keeps the unscaled dual rho u
			a.u[i] *= rho / next
		}
		rho = next
		r.PrimalResidual, r.DualResidual = a.iterate(rho)
		r.Iterations = t + 1
		if r.PrimalResidual < a.Tolerance && r.DualResidual < a.Tolerance {
			r.Status = Converged
			break
		}
	}
	r.X = make([]float64, b.n)
	mulVec(r.X, b.rotate, a.xe)
	r.Dual = make([]float64, b.k)
	for i, bound := range b.bounds {
		if bound > 0 {
			r.Dual[i] = rho * a.u[i] / bound
		}
	}
	return r
}

// iterate does one iteration and returns the two residuals.
func (a *ADMM) iterate(rho float64) (primal, dual float64) {
	b := &a.basis
	for i := range a.c {
		a.c[i] = a.z[i] - a.u[i]
	}
	mulVec(a.te, b.rows.T(), a.c)
	for j := range a.xe {
		a.xe[j] = (a.ye[j] + rho*a.te[j]) / (1 + rho*b.eigen[j])
	}
	mulVec(a.c, b.rows, a.xe)
	copy(a.zOld, a.z)
	for i, wx := range a.c {
		h := a.Relaxation*wx + (1-a.Relaxation)*a.z[i] + a.u[i]
		a.z[i] = SoftThreshold(h, b.bounds[i]/rho)
		a.u[i] = h - a.z[i]
		primal += (wx - a.z[i]) * (wx - a.z[i])
		a.zOld[i] = a.z[i] - a.zOld[i]
	}
	mulVec(a.g, b.rows.T(), a.zOld)
	return math.Sqrt(primal), rho * floats.Norm(a.g, 2)
}

// mulVec sets dst = m v.
func mulVec(dst []float64, m mat.Matrix, v []float64) {
	mat.NewVecDense(len(dst), dst).MulVec(m, mat.NewVecDense(len(v), v))
}
