package solve

import (
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// Lanes is the number of signals of a panel.
const Lanes = kernel.Lanes

// PanelSolver runs a fixed number of ADMM iterations on panels of Lanes signals in float32. In a panel, sample i of
// signal l is at i*Lanes + l. It computes the iterates of ADMM with the unscaled dual, so that an iteration is two
// matrix products with all other work inside their loops (kernel.DualStep, kernel.PrimalStep).
//
// A PanelSolver is immutable. Goroutines may share it, each with its own PanelScratch. It runs on the kernel that was
// selected when it was made (see kernel.Select).
type PanelSolver struct {
	k, n            int
	bounds          []float32      // of the dual of the scaled rows
	rows, rowsT     *kernel.Matrix // V E (k x n) and its transpose
	startRows       *kernel.Matrix // V E times the first rho, for the first dual step
	rotate, rotateT *kernel.Matrix // E and E' (n x n)
	start           panelStep      // first dual step, at x = y, without relaxation
	steps           []panelStep
	lastScale       []float32
}

// panelStep holds the constants of an iteration with rho that is followed by one with rho'. With the relaxation a, the
// primal step computes rho a x and the dual step rho'(z - u).
type panelStep struct {
	scale  []float32 // rho a / (1 + rho l)
	c1, c2 float32   // 1 - (1-a) rho'/rho and (2-a) rho'/rho
}

// PanelScratch is the scratch memory of one goroutine.
type PanelScratch struct {
	y, x, v, q []float32
}

// NewPanelSolver prepares the solver for a transform.
func NewPanelSolver(w Transform, s Schedule) *PanelSolver {
	b := newEigenbasis(w)
	p := &PanelSolver{k: w.K, n: w.N, bounds: make([]float32, w.K),
		rows: pack(b.rows), rowsT: pack(b.rows.T()), rotate: pack(b.rotate), rotateT: pack(b.rotate.T())}
	for i, v := range b.bounds {
		p.bounds[i] = float32(v)
	}
	var scaled mat.Dense
	scaled.Scale(s.Rho(0), b.rows)
	p.startRows = pack(&scaled)
	p.start = newPanelStep(nil, s.Relaxation, s.Rho(0), s.Rho(0))
	for t := range s.Iterations {
		p.steps = append(p.steps, newPanelStep(b.eigen, s.Relaxation, s.Rho(t), s.Rho(t+1)))
	}
	p.lastScale = make([]float32, w.N)
	for j, l := range b.eigen {
		p.lastScale[j] = float32(1 / (1 + s.Rho(s.Iterations-1)*l))
	}
	return p
}

func newPanelStep(eigen []float64, relaxation, rho, next float64) panelStep {
	ratio := next / rho
	step := panelStep{make([]float32, len(eigen)), float32(1 - (1-relaxation)*ratio), float32((2 - relaxation) * ratio)}
	for j, l := range eigen {
		step.scale[j] = float32(rho * relaxation / (1 + rho*l))
	}
	return step
}

// NewScratch returns scratch memory that fits the solver.
func (p *PanelSolver) NewScratch() *PanelScratch {
	m := kernel.NewPanels(p.n, p.n, p.k, p.k)
	return &PanelScratch{y: m[0], x: m[1], v: m[2], q: m[3]}
}

// fits reports whether s was made for a solver of the same size.
func (s *PanelScratch) fits(p *PanelSolver) bool {
	return len(s.y) == p.n*Lanes && len(s.v) == p.k*Lanes
}

// Solve replaces a panel of signals (n rows) by its solutions.
func (p *PanelSolver) Solve(y []float32, s *PanelScratch) {
	p.iterate(y, s)
	kernel.PrimalStep(s.x, p.rowsT, s.v, s.y, p.lastScale)
	kernel.Mul(y, p.rotate, s.x)
}

// SolveDual writes the dual of W x to u (a panel of k rows, |u| <= 1). It does not change y.
func (p *PanelSolver) SolveDual(u, y []float32, s *PanelScratch) {
	p.iterate(y, s)
	kernel.PrimalStep(s.x, p.rowsT, s.v, s.y, p.steps[len(p.steps)-1].scale)
	kernel.Dual(u, p.rows, s.x, s.q, p.bounds)
	for i, b := range p.bounds {
		if b > 0 {
			for j := range Lanes {
				u[i*Lanes+j] /= b
			}
		}
	}
}

// iterate runs all steps except the last primal step.
func (p *PanelSolver) iterate(y []float32, s *PanelScratch) {
	if !s.fits(p) {
		panic("solve: the scratch memory is for a solver of another size")
	}
	kernel.Mul(s.y, p.rotateT, y)
	clear(s.q)
	p.dualStep(s, p.startRows, s.y, p.start)
	for _, step := range p.steps[:len(p.steps)-1] {
		kernel.PrimalStep(s.x, p.rowsT, s.v, s.y, step.scale)
		p.dualStep(s, p.rows, s.x, step)
	}
}

func (p *PanelSolver) dualStep(s *PanelScratch, rows *kernel.Matrix, x []float32, step panelStep) {
	kernel.DualStep(s.v, rows, x, s.q, p.bounds, step.c1, step.c2)
}

// pack converts a matrix to float32 for the kernels.
func pack(m mat.Matrix) *kernel.Matrix {
	r, c := m.Dims()
	f := make([]float32, r*c)
	for i, v := range mat.DenseCopyOf(m).RawMatrix().Data { // At takes several times as long
		f[i] = float32(v)
	}
	return kernel.Pack(f, r, c)
}
