package solve

import "github.com/blorc-denoise/blorc-denoise/internal/kernel"

// CoefficientSolver does the same as PanelSolver, with the same iterates except for rounding. It works on the K
// coefficients of a signal and not on its N samples: there an iteration is a single product, with a square matrix that
// depends only on rho (kernel.DualStepSingle).
type CoefficientSolver struct {
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

// NewCoefficientSolver prepares the solver for a transform.
func NewCoefficientSolver(w Transform, s Schedule) *CoefficientSolver {
	rows, bounds := scaleRows(w)
	p := &CoefficientSolver{k: w.K, n: w.N, bounds: make([]float32, w.K), analyze: pack(rows), ones: ones(w.N),
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
func (p *CoefficientSolver) NewScratch() *PanelScratch {
	m := kernel.NewPanels(p.k, p.k, p.k, p.k)
	return &PanelScratch{y: m[0], x: m[1], v: m[2], q: m[3]}
}

// Solve replaces a panel of signals (n rows) by its solutions.
func (p *CoefficientSolver) Solve(y []float32, s *PanelScratch) {
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
