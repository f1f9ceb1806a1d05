package train

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// columnJob is the columns of some groups of a window that one transform denoises: the first column of each, or all
// others. Matrices have a row for each column.
type columnJob struct {
	window    *trainWindow
	transform int // even: first columns; odd: the others
	groups    []int

	signals      int
	y, p         blas64.General // signals x n
	mean         []float64      // of the pilot, taken from first columns
	wy, wp       blas64.General // signals x k
	dual         blas64.General // signals x k
	pass         *weightPass
	segments     [][]bilevel.Segment
	factors      []bilevel.PackedFactor
	inexact      []bool // of each signal
	notConverged int

	grad       []float64 // k x n
	weightGrad weightGradient
	solver     *bilevel.PairSolver
	ws         *bilevel.PairWorkspace
	penalties  []bilevel.Penalty
}

// columnsOf are the columns of a group that the job takes.
func (j *columnJob) columnsOf() (first, count int) {
	if j.transform%2 == 0 {
		return 0, 1
	}
	return 1, stage.GroupSize - 1
}

// allocate fits the memory to the number of signals.
func (j *columnJob) allocate(o *groupLoss) {
	_, count := j.columnsOf()
	block := 0
	if count > 1 {
		block = count
	}
	if signals := len(j.groups) * count; signals != j.signals || block != j.pass.block {
		l := o.layout
		j.signals = signals
		j.y, j.p, j.mean = newGeneral(signals, l.n), newGeneral(signals, l.n), make([]float64, signals)
		j.wy, j.wp, j.dual = newGeneral(signals, l.k), newGeneral(signals, l.k), newGeneral(signals, l.k)
		j.pass = newWeightPass(signals, l.k, l.hidden, block)
		j.segments, j.factors = make([][]bilevel.Segment, signals), make([]bilevel.PackedFactor, signals)
		j.inexact = make([]bool, signals)
		for i := range j.segments {
			j.segments[i] = make([]bilevel.Segment, l.k)
		}
		j.grad = make([]float64, l.k*l.n)
		j.weightGrad = weightGradient{A: make([]float64, l.hidden*stage.WeightFeatures), B: make([]float64, l.hidden*2), Bias: make([]float64, signals*l.hidden)}
		j.penalties = make([]bilevel.Penalty, l.k)
	}
	j.solver = o.solvers[j.transform]
	if j.ws == nil {
		j.ws = j.solver.NewWorkspace()
	}
}

// forward solves the columns exactly and puts the solutions into the window.
func (j *columnJob) forward(o *groupLoss) {
	j.allocate(o)
	j.gather(o)
	j.center()
	w := blas64.General{Rows: o.layout.k, Cols: o.layout.n, Stride: o.layout.n, Data: j.solver.Transform().W}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, j.y, w, 0, j.wy)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, j.p, w, 0, j.wp)
	j.pass.forward(&o.weights, j.wp.Data, j.wy.Data, j.hiddenBias(o))
	j.notConverged = 0
	for l := range j.signals {
		sol := j.solve(l)
		if !sol.Converged {
			j.notConverged++
		}
		if j.inexact[l] = !sol.Converged; j.inexact[l] {
			sol.Confine(j.penalties)
		}
		copy(row(j.dual, l), sol.Dual)
		copy(j.segments[l], sol.Segments)
		j.factors[l].Pack(sol)
	}
	x := newGeneral(j.signals, o.layout.n)
	copy(x.Data, j.y.Data)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, j.dual, w, 1, x)
	if j.transform%2 == 0 {
		for l, mean := range j.mean {
			floats.AddConst(mean, row(x, l))
		}
	}
	j.scatter(o, x)
}

// solve finds the solution of a signal.
func (j *columnJob) solve(signal int) *bilevel.PairSolution {
	wy := row(j.wy, signal)
	j.penaltiesOf(signal, j.penalties)
	return j.solver.Solve(j.ws, wy, j.penalties)
}

func (j *columnJob) penaltiesOf(signal int, rows []bilevel.Penalty) {
	at := signal * len(rows)
	for i := range rows {
		rows[i] = bilevel.Penalty{D: j.pass.d[at+i], E: j.pass.e[at+i], P: j.wp.Data[at+i]}
	}
}

func row(m blas64.General, i int) []float64 { return m.Data[i*m.Stride:][:m.Cols] }

// hiddenBias is the bias of each signal's hidden units.
func (j *columnJob) hiddenBias(o *groupLoss) []float64 {
	bias := make([]float64, j.signals*o.layout.hidden)
	first, count := j.columnsOf()
	for l := range j.signals {
		o.weights.BiasOf(bias[l*o.layout.hidden:(l+1)*o.layout.hidden], j.transform, first+l%count, stage.GroupSize)
	}
	return bias
}

// gather cuts the groups out of the crop and rotates them along their members.
func (j *columnJob) gather(o *groupLoss) {
	crop, n := j.window.crop, o.layout.n
	first, count := j.columnsOf()
	patches := newGeneral(stage.GroupSize, n)
	for g, at := range j.groups {
		along := rowRange(j.window.rotations[at], first, count)
		members := crop.group(j.window.groups[at])
		for _, side := range []struct {
			pix []float32
			out blas64.General
		}{{crop.noisy.Pix, j.y}, {crop.pilot.Pix, j.p}} {
			for m, corner := range members {
				gatherPatch(row(patches, m), side.pix, crop.clean.Width, int(corner))
			}
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, along, patches, 0, rowRange(side.out, g*count, count))
		}
	}
}

// center takes the mean of the pilots from first columns, so that brightness does not matter.
func (j *columnJob) center() {
	if j.transform%2 == 1 {
		return
	}
	for l := range j.mean {
		p := row(j.p, l)
		j.mean[l] = floats.Sum(p) / float64(len(p))
		floats.AddConst(-j.mean[l], p)
		floats.AddConst(-j.mean[l], row(j.y, l))
	}
}

func rowRange(m blas64.General, first, count int) blas64.General {
	m.Rows, m.Data = count, m.Data[first*m.Stride:]
	return m
}

// scatter writes the solutions to the window's columns, and how many rows are outside their zero sets.
func (j *columnJob) scatter(o *groupLoss, x blas64.General) {
	first, count := j.columnsOf()
	n := o.layout.n
	class := j.transform % 2
	for g, at := range j.groups {
		copy(j.window.columns[(at*stage.GroupSize+first)*n:], x.Data[g*count*n:(g+1)*count*n])
		free := 0
		for l := range count {
			free += o.layout.k - j.factors[g*count+l].Len()
		}
		j.window.free[class][at] = float64(free)
	}
}

// backward turns the gradients by the columns, which the window has now in their place, into those of the parameters.
//
// With g the gradient by x*, a = (W_0 W_0')^-1 W_0 g on the zero set and P g = g - W_0' a:
//
//	dQ/dw_i = -u_i P g - a_i x*            plus a_i p where the row lies on the pilot's kink
//	dQ/dd_i = -sign(w_i x*) w_i P g        outside the zero set, and with sign(w_i (x* - p)) for e_i
//
// The coefficients W y and W p that the weights and kinks are made of add their own part to dQ/dW.
func (j *columnJob) backward(o *groupLoss) {
	l := o.layout
	k, n := l.k, l.n
	w := blas64.General{Rows: k, Cols: n, Stride: n, Data: j.solver.Transform().W}
	pg, x := newGeneral(j.signals, n), newGeneral(j.signals, n)
	first, count := j.columnsOf()
	for g, at := range j.groups {
		copy(pg.Data[g*count*n:(g+1)*count*n], j.window.columns[(at*stage.GroupSize+first)*n:])
	}
	for s, inexact := range j.inexact {
		if inexact { // there is no closed form to differentiate
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
	for s, segments := range j.segments {
		for i, seg := range segments {
			at := s*k + i
			p := j.wp.Data[at]
			if seg.OnKink() {
				if !(bilevel.Penalty{P: p}).AtPilot(seg) {
					gwp.Data[at] = 0 // else a: the kink w p moves
				}
				continue
			}
			ofZero, ofPilot := bilevel.SlopeSigns(seg, p)
			gd[at], ge[at] = -ofZero*wpg.Data[at], -ofPilot*wpg.Data[at]
		}
	}
	j.weightGrad.clear()
	j.pass.backward(&o.weights, &j.weightGrad, gwp.Data, gwy.Data, gd, ge, j.wp.Data, j.wy.Data)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, gwp, j.p, 1, gradient)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, gwy, j.y, 1, gradient)
}

// addGradient adds the job's gradient times scale to that of theta.
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
