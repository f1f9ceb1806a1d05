package model

import (
	"errors"

	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
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
	back    *kernel.Matrix // W' (1 + 2 rho WW')^-1 = (1 + 2 rho W'W)^-1 W'
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
	dense := mat.NewDense(w.K, w.N, w.W)
	p := &PairSolver{k: w.K, n: w.N, analyze: pack(dense), start: newPairStep(s.Relaxation, s.Rho(0), s.Rho(0)),
		last: float32(s.Rho(max(s.Iterations-2, 0))), ones: make([]float32, w.N)}
	v := newPairInverse(dense)
	matrices := map[float64]*kernel.Matrix{}
	for t := range s.Iterations - 1 {
		rho := s.Rho(t)
		if matrices[rho] == nil {
			matrices[rho] = v.iteration(rho)
		}
		p.steps = append(p.steps, pairStep{matrices[rho], newPairStep(s.Relaxation, rho, s.Rho(t+1))})
	}
	last := &p.start
	if len(p.steps) > 0 {
		last = &p.steps[len(p.steps)-1].PairStep
	}
	last.C1, last.C2 = 0, last.C1+last.C2 // the same v, and the dual is left before it is clipped
	var back mat.Dense
	back.Mul(dense.T(), v.of(s.Rho(s.Iterations-1)))
	p.back = pack(&back)
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

// pairInverse makes matrices (1 + rho G)^-1 with G = 2 WW', of both penalties' rows. Those of the iterations follow without a
// product: W (1 + 2 rho W'W)^-1 W' = (1 - (1 + rho G)^-1) / (2 rho).
type pairInverse struct {
	gram    *mat.SymDense
	rho     float64
	inverse *mat.SymDense // for rho, the last that was asked for
}

func newPairInverse(w *mat.Dense) *pairInverse {
	k, _ := w.Dims()
	gram := mat.NewSymDense(k, nil)
	gram.SymOuterK(2, w)
	return &pairInverse{gram: gram}
}

// of adds to the identity what rounding may take from a G of large numbers, far less than float32 resolves otherwise.
func (v *pairInverse) of(rho float64) *mat.SymDense {
	if v.rho == rho {
		return v.inverse
	}
	const resolution = 1e-12
	n := v.gram.SymmetricDim()
	sum := mat.NewSymDense(n, nil)
	sum.ScaleSym(rho, v.gram)
	diagonal := 1 + resolution*sum.Trace()
	for i := range n {
		sum.SetSym(i, i, sum.At(i, i)+diagonal)
	}
	var c mat.Cholesky
	if !c.Factorize(sum) {
		panic("model: a positive definite matrix could not be factorized") // only for input that Transform and Schedule exclude
	}
	v.rho, v.inverse = rho, new(mat.SymDense)
	if err := c.InverseTo(v.inverse); err != nil && !errors.As(err, new(mat.Condition)) {
		panic(err)
	}
	return v.inverse
}

// iteration returns W (1 + 2 rho W'W)^-1 W'.
func (v *pairInverse) iteration(rho float64) *kernel.Matrix {
	n, inverse := v.gram.SymmetricDim(), v.of(rho)
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, -inverse.At(i, j)/(2*rho))
		}
		a.SetSym(i, i, a.At(i, i)+1/(2*rho))
	}
	return pack(a)
}
