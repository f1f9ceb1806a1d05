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
// where d and e differ from signal to signal. ADMM starts at the pilot p. In coefficients an iteration is one product with
// a matrix that depends on rho alone (kernel.DualStepPair), so that I iterations are I + 2 products: W y and W p, one for
// each iteration but the first, and one back to samples. A solver does not change once made.
type PairSolver struct {
	k, n    int
	analyze *kernel.Matrix // W
	start   kernel.PairStep
	steps   []pairStep
	last    float32        // rho of the last dual step
	back    *kernel.Matrix // (1 + 2 rho W'W)^-1 W'
	ones    []float32
}

// pairStep is an iteration, with the matrix W (1 + 2 rho W'W)^-1 W'.
type pairStep struct {
	matrix *kernel.Matrix
	kernel.PairStep
}

// PairScratch is the memory of one PairSolver at work. Panels of n rows are in pixels, those of k rows coefficients.
type PairScratch struct {
	Y, P   []float32 // n rows: noisy signals and pilots; Solve replaces Y by the solutions
	WY, WP []float32 // k rows: their coefficients, set by Analyze
	D, E   []float32 // k rows: penalties, for the caller to set

	v, next []float32
	pair    kernel.Pair
}

// NewPairSolver prepares the solver for a transform. The rows of W should have norms of about the same size.
func NewPairSolver(w Transform, s Schedule) *PairSolver {
	b := newPairBasis(w)
	p := &PairSolver{k: w.K, n: w.N, analyze: pack(b.w), start: newPairStep(s.Relaxation, s.Rho(0), s.Rho(0)),
		last: float32(s.Rho(max(s.Iterations-2, 0))), back: pack(b.back(s.Rho(s.Iterations - 1))), ones: make([]float32, w.N)}
	matrices := map[float64]*kernel.Matrix{}
	for t := range s.Iterations - 1 {
		rho := s.Rho(t)
		if matrices[rho] == nil {
			matrices[rho] = pack(b.iterate(rho))
		}
		p.steps = append(p.steps, pairStep{matrices[rho], newPairStep(s.Relaxation, rho, s.Rho(t+1))})
	}
	last := &p.start
	if len(p.steps) > 0 {
		last = &p.steps[len(p.steps)-1].PairStep
	}
	last.C1, last.C2 = 0, last.C1+last.C2 // the same v, and the dual is left before it is clipped
	for i := range p.ones {
		p.ones[i] = 1
	}
	return p
}

// newPairStep has the constants of panelStep.
func newPairStep(relaxation, rho, next float64) kernel.PairStep {
	c := newPanelStep(nil, relaxation, rho, next)
	return kernel.PairStep{C1: c.c1, C2: c.c2, Rho: float32(rho), Scale: float32(rho * relaxation), Next: float32(2 * next)}
}

// NewScratch returns scratch memory that fits the solver.
func (p *PairSolver) NewScratch() *PairScratch {
	m := kernel.NewPanels(p.n, p.n, p.k, p.k, p.k, p.k, p.k, p.k, p.k, p.k)
	s := &PairScratch{Y: m[0], P: m[1], WY: m[2], WP: m[3], D: m[4], E: m[5], v: m[6], next: m[7]}
	s.pair = kernel.Pair{Q: m[8], R: m[9], D: s.D, E: s.E, P: s.WP, Y: s.WY}
	return s
}

// Analyze sets WY and WP.
func (p *PairSolver) Analyze(s *PairScratch) {
	kernel.Mul(s.WY, p.analyze, s.Y)
	kernel.Mul(s.WP, p.analyze, s.P)
}

// Solve replaces s.Y by the solutions, after Analyze and with the penalties set.
func (p *PairSolver) Solve(s *PairScratch) {
	kernel.StartPair(s.v, p.analyze, s.pair, p.start)
	for _, step := range p.steps {
		kernel.DualStepPair(s.next, step.matrix, s.v, s.pair, step.PairStep)
		s.v, s.next = s.next, s.v
	}
	kernel.PrimalStep(s.Y, p.back, s.v, s.Y, p.ones)
}

// CountFree writes for each lane how many rows are outside both zero sets, after Solve.
func (p *PairSolver) CountFree(counts []float32, s *PairScratch) {
	kernel.CountFree(counts, s.pair, p.k, p.last)
}

// pairBasis is what the matrices of all rho are made of: with 2 W'W = E diag(l) E',
// (1 + 2 rho W'W)^-1 is E diag(1 / (1 + rho l)) E'.
type pairBasis struct {
	w, rotate, rows *mat.Dense // W, E and W E
	eigen           []float64  // l
}

func newPairBasis(w Transform) pairBasis {
	dense := mat.NewDense(w.K, w.N, w.W)
	gram := mat.NewSymDense(w.N, nil)
	gram.SymOuterK(2, dense.T()) // both penalties have the rows of W
	var es mat.EigenSym
	if !es.Factorize(gram, true) {
		panic("model: the eigenvalues of a symmetric matrix did not converge") // only for non-finite input, which Transform excludes
	}
	b := pairBasis{dense, new(mat.Dense), new(mat.Dense), es.Values(nil)}
	for i := range b.eigen {
		b.eigen[i] = max(b.eigen[i], 0)
	}
	es.VectorsTo(b.rotate)
	b.rows.Mul(dense, b.rotate)
	return b
}

// iterate returns W (1 + 2 rho W'W)^-1 W'.
func (b pairBasis) iterate(rho float64) mat.Matrix { return b.shrink(b.rows, rho) }

// back returns (1 + 2 rho W'W)^-1 W'.
func (b pairBasis) back(rho float64) mat.Matrix { return b.shrink(b.rotate, rho) }

// shrink returns left diag(1 / (1 + rho l)) E'W'.
func (b pairBasis) shrink(left *mat.Dense, rho float64) mat.Matrix {
	var scaled, product mat.Dense
	scaled.Apply(func(_, j int, v float64) float64 { return v / (1 + rho*b.eigen[j]) }, left)
	product.Mul(&scaled, b.rows.T())
	return &product
}
