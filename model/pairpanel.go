package model

import (
	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/model/internal/kernel"
)

// PairSolver runs a fixed number of ADMM iterations on panels of Lanes signals for the lower-level problem of non-local
// stages,
//
//	min_x 1/2 ||x - y||^2 + sum_i d_i |w_i x| + e_i |w_i (x - p)|,
//
// where d and e differ from signal to signal. Both penalties share the product W x (kernel.DualStepPair), so that it
// costs little more than PanelSolver. ADMM starts at the pilot p. A solver does not change once made.
type PairSolver struct {
	k, n            int
	analyze         *kernel.Matrix // W
	rows, rowsT     *kernel.Matrix // W E and its transpose, with W'W = E diag(l) E'
	rotate, rotateT *kernel.Matrix // E and E'
	start           panelStep
	steps           []panelStep
	rhos            []float32 // of each dual step
	lastScale       []float32
}

// PairScratch is the memory of one PairSolver at work. Panels of n rows are in pixels, those of k rows coefficients.
type PairScratch struct {
	Y, P   []float32 // n rows: noisy signals and pilots; Solve replaces Y by the solutions
	WY, WP []float32 // k rows: their coefficients, set by Analyze
	D, E   []float32 // k rows: penalties, for the caller to set

	x, y, v []float32
	pair    kernel.Pair
}

// NewPairSolver prepares the solver for a transform. The rows of W should have norms of about the same size.
func NewPairSolver(w Transform, s Schedule) *PairSolver {
	dense := mat.NewDense(w.K, w.N, w.W)
	gram := mat.NewSymDense(w.N, nil)
	gram.SymOuterK(2, dense.T()) // both penalties have the rows of W
	var es mat.EigenSym
	if !es.Factorize(gram, true) {
		panic("model: the eigenvalues of a symmetric matrix did not converge") // only for non-finite input, which Transform excludes
	}
	eigen := es.Values(nil)
	for i := range eigen {
		eigen[i] = max(eigen[i], 0)
	}
	var rotate, rows mat.Dense
	es.VectorsTo(&rotate)
	rows.Mul(dense, &rotate)
	p := &PairSolver{k: w.K, n: w.N, analyze: pack(dense), rows: pack(&rows), rowsT: pack(rows.T()),
		rotate: pack(&rotate), rotateT: pack(rotate.T())}
	p.start = newPanelStep(nil, s.Relaxation, s.Rho(0), s.Rho(0))
	p.rhos = append(p.rhos, float32(s.Rho(0)))
	for t := range s.Iterations - 1 {
		p.steps = append(p.steps, newPanelStep(eigen, s.Relaxation, s.Rho(t), s.Rho(t+1)))
		p.rhos = append(p.rhos, float32(s.Rho(t)))
	}
	last := &p.start
	if len(p.steps) > 0 {
		last = &p.steps[len(p.steps)-1]
	}
	last.c1, last.c2 = 0, last.c1+last.c2 // the same v, and the dual is left before it is clipped
	p.lastScale = make([]float32, w.N)
	for j, l := range eigen {
		p.lastScale[j] = float32(1 / (1 + s.Rho(s.Iterations-1)*l))
	}
	return p
}

// NewScratch returns scratch memory that fits the solver.
func (p *PairSolver) NewScratch() *PairScratch {
	m := kernel.NewPanels(p.n, p.n, p.n, p.n, p.k, p.k, p.k, p.k, p.k, p.k, p.k)
	s := &PairScratch{Y: m[0], P: m[1], x: m[2], y: m[3], WY: m[4], WP: m[5], D: m[6], E: m[7], v: m[8]}
	s.pair = kernel.Pair{Q: m[9], R: m[10], D: s.D, E: s.E, P: s.WP}
	return s
}

// Analyze sets WY and WP.
func (p *PairSolver) Analyze(s *PairScratch) {
	kernel.Mul(s.WY, p.analyze, s.Y)
	kernel.Mul(s.WP, p.analyze, s.P)
}

// Solve replaces s.Y by the solutions, after Analyze and with the penalties set.
func (p *PairSolver) Solve(s *PairScratch) {
	kernel.Mul(s.y, p.rotateT, s.Y)
	kernel.StartPair(s.v, p.rows, s.pair, p.start.c1, p.start.c2, p.rhos[0])
	for t, step := range p.steps {
		kernel.PrimalStep(s.x, p.rowsT, s.v, s.y, step.scale)
		kernel.DualStepPair(s.v, p.rows, s.x, s.pair, step.c1, step.c2, p.rhos[t+1])
	}
	kernel.PrimalStep(s.x, p.rowsT, s.v, s.y, p.lastScale)
	kernel.Mul(s.Y, p.rotate, s.x)
}

// CountFree writes for each lane how many rows are outside both zero sets, after Solve.
func (p *PairSolver) CountFree(counts []float32, s *PairScratch) {
	kernel.CountFree(counts, s.pair, p.k, p.rhos[len(p.rhos)-1])
}
