package solve

import (
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
)

// PairPanelSolver solves the lower-level problem of non-local stages,
//
//	min_x 1/2 ||x - y||^2 + sum_i d_i |w_i x| + e_i |w_i (x - p)|,
//
// approximately, for panels of Lanes signals in float32, each with its own penalties d and e. It runs a fixed number of
// ADMM iterations that start at the pilot p. Denoising uses it; training uses bilevel.PairSolver, which solves the same
// problem exactly in float64.
//
// On coefficients, an iteration is one product with a matrix that depends only on rho (kernel.DualStepPair). So I
// iterations take I + 2 products: W y, W p, one for each iteration except the first, and one back to samples. A
// PairPanelSolver is immutable, so goroutines may share it.
type PairPanelSolver struct {
	k, n    int
	analyze *kernel.Matrix // W
	start   kernel.PairStep
	steps   []pairStep
	last    float32        // rho of the last dual step
	back    *kernel.Matrix // W' (1 + 2 rho WW')^-1 = (1 + 2 rho W'W)^-1 W'
	ones    []float32      // n ones, as kernel.PrimalStep needs them
}

// pairStep is an iteration, with the matrix W (1 + 2 rho W'W)^-1 W'.
type pairStep struct {
	matrix *kernel.Matrix
	kernel.PairStep
}

// PairPanelScratch is the scratch memory of one goroutine. Panels of n rows hold samples, panels of k rows
// coefficients.
type PairPanelScratch struct {
	Y, P   []float32 // n rows: noisy signals and pilots; Solve replaces Y by the solutions
	WY, WP []float32 // k rows: coefficients of Y and P, set by Analyze
	D, E   []float32 // k rows: penalties, set by the caller

	v, next []float32
	pair    kernel.Pair
}

// NewPairPanelSolver prepares the solver for a transform. The rows of W should have norms of about the same size.
func NewPairPanelSolver(w Transform, s Schedule) *PairPanelSolver {
	dense := mat.NewDense(w.K, w.N, w.W)
	p := &PairPanelSolver{k: w.K, n: w.N, analyze: pack(dense), start: newPairStep(s.Relaxation, s.Rho(0), s.Rho(0)),
		last: float32(s.Rho(max(s.Iterations-2, 0))), ones: ones(w.N)}
	v := newRowInverse(dense, 2)
	for t := range s.Iterations - 1 {
		rho := s.Rho(t)
		p.steps = append(p.steps, pairStep{v.iteration(rho), newPairStep(s.Relaxation, rho, s.Rho(t+1))})
	}
	last := &p.start
	if len(p.steps) > 0 {
		last = &p.steps[len(p.steps)-1].PairStep
	}
	last.C1, last.C2 = 0, last.C1+last.C2 // gives the same v, but the dual before clipping, which CountFree needs
	p.back = v.back(s.Rho(s.Iterations - 1))
	return p
}

// newPairStep returns the constants of an iteration with rho that is followed by one with next (see panelStep).
func newPairStep(relaxation, rho, next float64) kernel.PairStep {
	c := newPanelStep(nil, relaxation, rho, next)
	return kernel.PairStep{C1: c.c1, C2: c.c2, Rho: float32(rho), Scale: float32(rho * relaxation),
		Next: float32(2 * next)}
}

// NewScratch returns scratch memory that fits the solver.
func (p *PairPanelSolver) NewScratch() *PairPanelScratch {
	m := kernel.NewPanels(p.n, p.n, p.k, p.k, p.k, p.k, p.k, p.k, p.k, p.k)
	s := &PairPanelScratch{Y: m[0], P: m[1], WY: m[2], WP: m[3], D: m[4], E: m[5], v: m[6], next: m[7]}
	s.pair = kernel.Pair{Q: m[8], R: m[9], D: s.D, E: s.E, P: s.WP, Y: s.WY}
	return s
}

// Rows returns the number of rows of the transform.
func (p *PairPanelSolver) Rows() int { return p.k }

// Analyze computes s.WY and s.WP from s.Y and s.P.
func (p *PairPanelSolver) Analyze(s *PairPanelScratch) {
	kernel.Mul(s.WY, p.analyze, s.Y)
	kernel.Mul(s.WP, p.analyze, s.P)
}

// Solve replaces s.Y by the solutions. It needs the coefficients from Analyze and the penalties.
func (p *PairPanelSolver) Solve(s *PairPanelScratch) {
	kernel.StartPair(s.v, p.analyze, s.pair, p.start)
	for _, step := range p.steps {
		kernel.DualStepPair(s.next, step.matrix, s.v, s.pair, step.PairStep)
		s.v, s.next = s.next, s.v
	}
	kernel.PrimalStep(s.Y, p.back, s.v, s.Y, p.ones)
}

// CountFree writes the number of rows outside both zero sets to counts, for each lane of the panel that Solve solved.
func (p *PairPanelSolver) CountFree(counts []float32, s *PairPanelScratch) {
	kernel.CountFree(counts, s.pair, p.k, p.last)
}
