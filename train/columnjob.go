package train

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/stage"
)

// columnJob denoises columns of some groups of a region by one transform: the first column of each group, or all
// others. Matrices have a row for each column (signal).
type columnJob struct {
	region    *region
	transform int   // even: first columns; odd: the others
	groups    []int // indices into region.groups

	signals      int
	y, p         blas64.General // signals x n
	mean         []float64      // of the pilot's first columns, which is subtracted from both
	wy, wp       blas64.General // signals x k
	dual         blas64.General // signals x k
	pass         *weightPass
	segments     [][]bilevel.Segment
	factors      []bilevel.PackedFactor
	inexact      []bool // for each signal: it has no exact solution
	notConverged int

	grad       []float64 // k x n
	weightGrad weightGradient
	solver     *bilevel.PairSolver
	ws         *bilevel.PairWorkspace
	penalties  []bilevel.Penalty
}

// columnsOf returns the range of columns of a group that belong to the job.
func (j *columnJob) columnsOf() (first, count int) {
	if j.transform%2 == 0 {
		return 0, 1
	}
	return 1, stage.GroupSize - 1
}

// allocate makes the memory for the number of signals, unless it has the right size, and sets the solver.
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
		j.weightGrad = weightGradient{A: make([]float64, l.hidden*stage.WeightFeatures), B: make([]float64, l.hidden*2),
			Bias: make([]float64, signals*l.hidden)}
		j.penalties = make([]bilevel.Penalty, l.k)
	}
	j.solver = o.solvers[j.transform]
	if j.ws == nil {
		j.ws = j.solver.NewWorkspace()
	}
}

// forward solves the columns exactly and writes the solutions to the region.
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
		if j.inexact[l] = !sol.Converged; j.inexact[l] {
			j.notConverged++
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

// solve solves the problem of a signal.
func (j *columnJob) solve(signal int) *bilevel.PairSolution {
	wy := row(j.wy, signal)
	j.penaltiesOf(signal, j.penalties)
	return j.solver.Solve(j.ws, wy, j.penalties)
}

// penaltiesOf writes the penalties of the rows for a signal.
func (j *columnJob) penaltiesOf(signal int, rows []bilevel.Penalty) {
	at := signal * len(rows)
	for i := range rows {
		rows[i] = bilevel.Penalty{D: j.pass.d[at+i], E: j.pass.e[at+i], P: j.wp.Data[at+i]}
	}
}

// row returns row i of a matrix without copying it.
func row(m blas64.General, i int) []float64 { return m.Data[i*m.Stride:][:m.Cols] }

// hiddenBias returns the biases of the hidden units for each signal.
func (j *columnJob) hiddenBias(o *groupLoss) []float64 {
	bias := make([]float64, j.signals*o.layout.hidden)
	first, count := j.columnsOf()
	for l := range j.signals {
		o.weights.BiasOf(bias[l*o.layout.hidden:(l+1)*o.layout.hidden], j.transform, first+l%count, stage.GroupSize)
	}
	return bias
}

// gather extracts the groups from the crop and rotates them along their members.
func (j *columnJob) gather(o *groupLoss) {
	crop, n := j.region.crop, o.layout.n
	first, count := j.columnsOf()
	patches := newGeneral(stage.GroupSize, n)
	for g, at := range j.groups {
		along := rowRange(j.region.rotations[at], first, count)
		members := crop.group(j.region.groups[at])
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

// center subtracts the mean of the pilot from first columns, so that brightness does not matter.
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

// rowRange returns rows first..first+count-1 of a matrix without copying them.
func rowRange(m blas64.General, first, count int) blas64.General {
	m.Rows, m.Data = count, m.Data[first*m.Stride:]
	return m
}

// scatter writes the solutions and the numbers of rows outside their zero sets to the region.
func (j *columnJob) scatter(o *groupLoss, x blas64.General) {
	first, count := j.columnsOf()
	n := o.layout.n
	class := j.transform % 2
	for g, at := range j.groups {
		copy(j.region.columns[(at*stage.GroupSize+first)*n:], x.Data[g*count*n:(g+1)*count*n])
		free := 0
		for l := range count {
			free += o.layout.k - j.factors[g*count+l].Len()
		}
		j.region.free[class][at] = float64(free)
	}
}
