package solve

import "github.com/blorc-denoise/blorc-denoise/internal/kernel"

// Solver replaces panels of signals by the solutions of the lower-level problem, approximately: it runs a fixed number of ADMM
// iterations in float32. It is immutable, so goroutines may share it, each with its own scratch memory.
type Solver interface {
	Solve(y []float32, s *PanelScratch)
	NewScratch() *PanelScratch
}

// NewSolver returns the faster of the two solvers for a transform. With I iterations, one takes I + 1 products with square
// matrices of K rows, the other 2 I with W and two with matrices of N rows.
func NewSolver(w Transform, s Schedule) Solver {
	if IsTall(w) {
		return NewPanelSolver(w, s)
	}
	return NewSinglePanelSolver(w, s)
}

// IsTall reports whether a transform has so many rows that NewSolver avoids square matrices of K rows, one for each rho.
func IsTall(w Transform) bool { return w.K >= 2*w.N }

// SinglePanelSolver does the same as PanelSolver, with the same iterates except for rounding. On coefficients, an iteration is
// one product with a matrix that depends only on rho (kernel.DualStepSingle).
type SinglePanelSolver struct {
	k, n    int
	bounds  []float32      // of the dual of the scaled rows
	analyze *kernel.Matrix // V, the scaled rows (see eigenbasis)
	start   kernel.SingleStep
	steps   []singleStep
	back    *kernel.Matrix // (1 + rho V'V)^-1 V'
	ones    []float32      // n ones, as kernel.PrimalStep needs them
}

// singleStep is an iteration, with the matrix V (1 + rho V'V)^-1 V'.
type singleStep struct {
	matrix *kernel.Matrix
	kernel.SingleStep
}

// NewSinglePanelSolver prepares the solver for a transform.
func NewSinglePanelSolver(w Transform, s Schedule) *SinglePanelSolver {
	rows, bounds := scaleRows(w)
	p := &SinglePanelSolver{k: w.K, n: w.N, bounds: make([]float32, w.K), analyze: pack(rows), ones: ones(w.N),
		start: newSingleStep(s.Relaxation, s.Rho(0), s.Rho(0))}
	p.start.Scale = float32(s.Rho(0))
	for i, v := range bounds {
		p.bounds[i] = float32(v)
	}
	v := newRowInverse(rows, 1)
	for t := range s.Iterations - 1 {
		rho := s.Rho(t)
		p.steps = append(p.steps, singleStep{v.iteration(rho), newSingleStep(s.Relaxation, rho, s.Rho(t+1))})
	}
	p.back = v.back(s.Rho(s.Iterations - 1))
	return p
}

// newSingleStep returns the constants of an iteration with rho that is followed by one with next (see panelStep).
func newSingleStep(relaxation, rho, next float64) kernel.SingleStep {
	c := newPanelStep(nil, relaxation, rho, next)
	return kernel.SingleStep{C1: c.c1, C2: c.c2, Scale: float32(rho * relaxation), Next: float32(next)}
}

// NewScratch returns scratch memory that fits the solver.
func (p *SinglePanelSolver) NewScratch() *PanelScratch {
	m := kernel.NewPanels(p.k, p.k, p.k, p.k)
	return &PanelScratch{y: m[0], x: m[1], v: m[2], q: m[3]}
}

// Solve replaces a panel of signals (n rows) by its solutions.
func (p *SinglePanelSolver) Solve(y []float32, s *PanelScratch) {
	if len(s.y) != p.k*Lanes || len(s.x) != p.k*Lanes {
		panic("solve: the scratch memory is for a solver of another size")
	}
	kernel.StartSingle(s.v, p.analyze, y, s.q, s.y, p.bounds, p.start)
	for _, step := range p.steps {
		kernel.DualStepSingle(s.x, step.matrix, s.v, s.q, s.y, p.bounds, step.SingleStep)
		s.v, s.x = s.x, s.v
	}
	kernel.PrimalStep(y, p.back, s.v, y, p.ones)
}
