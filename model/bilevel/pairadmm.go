package bilevel

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/model"
)

// pairADMM finds segments as model.PairSolver's iterations leave them, for many signals of one transform in float64: the
// same iterates, with splits z of W x for the pull to zero and z' for that to the pilot, each with its own dual (see
// model.ADMM for how an iteration goes). A matrix has a row for each signal.
type pairADMM struct {
	schedule model.Schedule
	rotate   blas64.General // E, n x n, with 2 W'W = E diag(l) E'
	rows     blas64.General // W E, k x n
	eigen    []float64      // l
}

func newPairADMM(w model.Transform, s model.Schedule) *pairADMM {
	dense := mat.NewDense(w.K, w.N, w.W)
	gram := mat.NewSymDense(w.N, nil)
	gram.SymOuterK(2, dense.T())
	var es mat.EigenSym
	if !es.Factorize(gram, true) {
		panic("bilevel: the eigenvalues of a symmetric matrix did not converge") // only for input that is not finite
	}
	var rotate, rows mat.Dense
	es.VectorsTo(&rotate)
	rows.Mul(dense, &rotate)
	return &pairADMM{s, rotate.RawMatrix(), rows.RawMatrix(), es.Values(nil)}
}

// pairSplit is what ADMM knows of one row of one signal. The duals are unscaled, so that they do not change with rho.
type pairSplit struct{ zero, pilot, zeroDual, pilotDual float64 }

// update does both z-updates and dual updates for a coefficient w x, which counts with the relaxation a.
func (s *pairSplit) update(wx, a, rho float64, g penalty) {
	zero := a*wx + (1-a)*s.zero + s.zeroDual/rho
	pilot := a*wx + (1-a)*s.pilot + s.pilotDual/rho
	s.zero = model.SoftThreshold(zero, g.d/rho)
	s.pilot = g.p + model.SoftThreshold(pilot-g.p, g.e/rho)
	s.zeroDual, s.pilotDual = rho*(zero-s.zero), rho*(pilot-s.pilot)
}

// segment is where the two splits see the coefficient. They may disagree before they have converged: a kink counts more
// than none, and that at zero first.
func (s *pairSplit) segment(p float64) segment {
	zero, pilot := onLower, onUpper
	if p < 0 {
		zero, pilot = pilot, zero
	}
	switch {
	case s.zero == 0:
		return zero
	case s.pilot == p && p == 0:
		return onLower
	case s.pilot == p:
		return pilot
	case s.zero < 0 && s.pilot < p:
		return below
	case s.zero > 0 && s.pilot > p:
		return above
	case p == 0:
		return onLower
	}
	return between
}

// segments runs the schedule from the pilots, and sets the segments of each signal of y to what the last z-updates say.
func (a *pairADMM) segments(segments [][]segment, y blas64.General, penalties func(signal int, rows []penalty)) {
	k, n := a.rows.Rows, a.rows.Cols
	rows := make([]penalty, y.Rows*k)
	splits := make([]pairSplit, len(rows))
	for s := range y.Rows {
		penalties(s, rows[s*k:(s+1)*k])
	}
	rho := a.schedule.Rho(0)
	for i, g := range rows {
		splits[i].update(g.p, 1, rho, g)
	}
	ye, x, v, wx := newGeneral(y.Rows, n), newGeneral(y.Rows, n), newGeneral(y.Rows, k), newGeneral(y.Rows, k)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, y, a.rotate, 0, ye)
	for t := range a.schedule.Iterations - 1 {
		rho = a.schedule.Rho(t)
		for i, s := range splits {
			v.Data[i] = rho*(s.zero+s.pilot) - s.zeroDual - s.pilotDual
		}
		copy(x.Data, ye.Data)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, v, a.rows, 1, x)
		for i := range x.Data {
			x.Data[i] /= 1 + rho*math.Max(a.eigen[i%n], 0)
		}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, a.rows, 0, wx)
		for i, g := range rows {
			splits[i].update(wx.Data[i], a.schedule.Relaxation, rho, g)
		}
	}
	for i := range splits {
		segments[i/k][i%k] = splits[i].segment(rows[i].p)
	}
}
