package train

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// backward computes the gradients by the parameters from those by the columns, which the region now holds in place of
// the solutions.
//
// With g the gradient by x*, a = (W_0 W_0')^-1 W_0 g on the zero set and P g = g - W_0' a:
//
//	dQ/dw_i = -u_i P g - a_i x*            plus a_i p if the row lies on the pilot's kink
//	dQ/dd_i = -sign(w_i x*) w_i P g        outside the zero set, and with sign(w_i (x* - p)) for e_i
//
// The weights and kinks depend on the coefficients W y and W p, which adds a further part to dQ/dW.
func (j *columnJob) backward(o *groupLoss) {
	l := o.layout
	k, n := l.k, l.n
	w := blas64.General{Rows: k, Cols: n, Stride: n, Data: j.solver.Transform().W}
	pg, x := newGeneral(j.signals, n), newGeneral(j.signals, n)
	first, count := j.columnsOf()
	for g, at := range j.groups {
		copy(pg.Data[g*count*n:(g+1)*count*n], j.region.columns[(at*stage.GroupSize+first)*n:])
	}
	for s, inexact := range j.inexact {
		if inexact { // no closed form to differentiate
			clear(row(pg, s))
		}
	}
	copy(x.Data, j.y.Data)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, j.dual, w, 1, x)
	a, wpg := newGeneral(j.signals, k), newGeneral(j.signals, k)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, pg, w, 0, wpg) // W g
	for s := range j.signals {
		j.factors[s].Solve(row(a, s), row(wpg, s), j.ws)
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, a, w, 1, pg)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, pg, w, 0, wpg)

	gradient := blas64.General{Rows: k, Cols: n, Stride: n, Data: j.grad}
	blas64.Gemm(blas.Trans, blas.NoTrans, -1, j.dual, pg, 0, gradient)
	blas64.Gemm(blas.Trans, blas.NoTrans, -1, a, x, 1, gradient)
	gd, ge := make([]float64, j.signals*k), make([]float64, j.signals*k)
	gwp, gwy := a, newGeneral(j.signals, k)
	j.penaltyGradients(gwp, wpg, gd, ge)
	j.weightGrad.clear()
	j.pass.backward(&o.weights, &j.weightGrad, gwp.Data, gwy.Data, gd, ge, j.wp.Data, j.wy.Data)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, gwp, j.p, 1, gradient)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, gwy, j.y, 1, gradient)
}

// penaltyGradients computes the gradients by d and e from the coefficients W P g (wpg). gwp holds a; it is set to zero
// except where the kink moves with w p.
func (j *columnJob) penaltyGradients(gwp, wpg blas64.General, gd, ge []float64) {
	for s, segments := range j.segments {
		for i, seg := range segments {
			at := s*len(segments) + i
			p := j.wp.Data[at]
			if seg.OnKink() {
				if !(bilevel.Penalty{P: p}).AtPilot(seg) {
					gwp.Data[at] = 0
				}
				continue
			}
			ofZero, ofPilot := bilevel.SlopeSigns(seg, p)
			gd[at], ge[at] = -ofZero*wpg.Data[at], -ofPilot*wpg.Data[at]
		}
	}
}

// addGradient adds the gradient of the job times scale to grad, the gradient by theta.
func (j *columnJob) addGradient(o *groupLoss, grad []float64, scale float64) {
	l := o.layout
	add := func(dst, src []float64) {
		for i, v := range src {
			dst[i] += scale * v
		}
	}
	add(l.transform(grad, j.transform).W, j.grad)
	g := l.weightFunction(grad)
	add(g.A, j.weightGrad.A)
	add(g.B, j.weightGrad.B)
	l.setScalars(grad, g.B0+scale*j.weightGrad.B0, g.A0+scale*j.weightGrad.A0, g.B1+scale*j.weightGrad.B1)
	first, count := j.columnsOf()
	for s := range j.signals {
		bias := j.weightGrad.Bias[s*l.hidden : (s+1)*l.hidden]
		add(g.Bias[j.transform], bias)
		t := stage.ColumnPosition(first+s%count, stage.GroupSize)
		for h, v := range bias {
			g.Position[h] += scale * t * v
		}
	}
}
