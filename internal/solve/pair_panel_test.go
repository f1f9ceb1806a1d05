package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

// pairTransform returns a transform whose rows have norms close to 1/2.
func pairTransform(k, n int, seed uint64) Transform {
	return randomTransform(k, n, 0.5/math.Sqrt(float64(n)), seed)
}

// newPairScratch returns scratch memory with random signals, pilots and penalties.
func newPairScratch(p *PairPanelSolver, seed uint64) *PairPanelScratch {
	rng := rand.New(rand.NewPCG(seed, 9))
	s := p.NewScratch()
	for i := range s.Y {
		s.P[i] = float32(3 * rng.NormFloat64())
		s.Y[i] = s.P[i] + float32(rng.NormFloat64())
	}
	for i := range s.D {
		s.D[i], s.E[i] = float32(0.3*math.Exp(rng.NormFloat64())), float32(0.3*math.Exp(rng.NormFloat64()-0.5))
	}
	return s
}

func lane(panel []float32, l int) (v []float64) {
	for i := l; i < len(panel); i += Lanes {
		v = append(v, float64(panel[i]))
	}
	return v
}

// solvePair runs ADMM in its textbook form, in float64, and solves a linear system in each iteration. It also returns
// the number of rows outside both zero sets, up to rounding.
func solvePair(w Transform, s Schedule, y, p, d, e []float64) (x []float64, least, most float64) {
	var wp, coefficients, v mat.VecDense
	dense, solution := mat.NewDense(w.K, w.N, w.W), mat.NewVecDense(w.N, nil)
	wp.MulVec(dense, mat.NewVecDense(w.N, p))
	coefficients.CloneFromVec(&wp)
	zero, pilot := make([]float64, w.K), make([]float64, w.K)
	zeroDual, pilotDual := make([]float64, w.K), make([]float64, w.K)
	update := func(a, rho float64) {
		least, most = 0, 0
		for i := range w.K {
			c, at := coefficients.AtVec(i), wp.AtVec(i)
			s, t := a*c+(1-a)*zero[i]+zeroDual[i]/rho, a*c+(1-a)*pilot[i]+pilotDual[i]/rho
			zero[i], pilot[i] = softThreshold(s, d[i]/rho), at+softThreshold(t-at, e[i]/rho)
			zeroDual[i], pilotDual[i] = rho*(s-zero[i]), rho*(t-pilot[i])
			slack := min(rho*math.Abs(s)-d[i], rho*math.Abs(t-at)-e[i])
			if slack > 1e-3 {
				least++
			}
			if slack > -1e-3 {
				most++
			}
		}
	}
	primal := func(rho float64) {
		sums := mat.NewVecDense(w.K, nil)
		for i := range w.K {
			sums.SetVec(i, rho*(zero[i]+pilot[i])-zeroDual[i]-pilotDual[i])
		}
		v.MulVec(dense.T(), sums)
		v.AddVec(&v, mat.NewVecDense(w.N, y))
		gram := mat.NewSymDense(w.N, nil)
		gram.SymOuterK(2*rho, dense.T())
		for i := range w.N {
			gram.SetSym(i, i, gram.At(i, i)+1)
		}
		var c mat.Cholesky
		if !c.Factorize(gram) {
			panic("not positive definite")
		}
		if err := c.SolveVecTo(solution, &v); err != nil {
			panic(err)
		}
	}
	update(1, s.Rho(0))
	for t := range s.Iterations - 1 {
		primal(s.Rho(t))
		coefficients.MulVec(dense, solution)
		update(s.Relaxation, s.Rho(t))
	}
	primal(s.Rho(s.Iterations - 1))
	return solution.RawVector().Data, least, most
}

func TestPairPanelSolverIsADMM(t *testing.T) {
	schedules := []Schedule{
		{Iterations: 1, RhoStart: 2, RhoEnd: 2, Relaxation: 1.7},
		{Iterations: 2, RhoStart: 0.7, RhoEnd: 3, Ramp: 4, Relaxation: 1.5},
		{Iterations: 5, RhoStart: 0.7, RhoEnd: 3, Ramp: 4, Relaxation: 1.7},
		{Iterations: 6, RhoStart: 1.5, RhoEnd: 1.5, Relaxation: 1.8},
		{Iterations: 9, RhoStart: 4, RhoEnd: 1, Ramp: 2, Relaxation: 1},
	}
	onEveryKernel(t, func(t *testing.T) {
		for i, schedule := range schedules {
			for _, size := range [][2]int{{64, 64}, {70, 30}, {20, 64}, {1, 1}} {
				w := pairTransform(size[0], size[1], uint64(i))
				p := NewPairPanelSolver(w, schedule)
				s := newPairScratch(p, uint64(i))
				y := slices.Clone(s.Y)
				p.Analyze(s)
				p.Solve(s)
				counts := make([]float32, Lanes)
				p.CountFree(counts, s)
				for l := 0; l < Lanes; l += 5 {
					want, least, most := solvePair(w, schedule, lane(y, l), lane(s.P, l), lane(s.D, l), lane(s.E, l))
					if d := maxDiff(lane(s.Y, l), want); !(d < 2e-5) {
						t.Errorf("%v, %v: lane %d differs by %g", size, schedule, l, d)
					}
					if n := float64(counts[l]); n < least || n > most {
						t.Errorf("%v, %v: lane %d has %g free rows instead of %g to %g", size, schedule, l, n, least,
							most)
					}
				}
			}
		}
	})
}

// The content of a lane does not change the results of other lanes, and used scratch memory gives the same results as
// new one.
func TestPairPanelSolverKeepsLanesApart(t *testing.T) {
	onEveryKernel(t, func(t *testing.T) {
		p := NewPairPanelSolver(pairTransform(64, 64, 3), Schedule{Iterations: 6, RhoStart: 1, RhoEnd: 2, Ramp: 1,
			Relaxation: 1.7})
		solved := func(s *PairPanelScratch) []float32 {
			p.Analyze(s)
			p.Solve(s)
			return s.Y
		}
		const changed = 17
		reused := newPairScratch(p, 2)
		solved(reused)
		for seed := range uint64(2) {
			want, other := newPairScratch(p, 1), newPairScratch(p, 1)
			if seed == 1 {
				other = reused
				for to, from := range map[*[]float32][]float32{&other.Y: want.Y, &other.P: want.P, &other.D: want.D,
					&other.E: want.E} {
					copy(*to, from)
				}
			}
			for i := changed; i < len(other.Y); i += Lanes {
				other.Y[i] = float32(math.NaN())
				other.D[i] = 5
			}
			solved(want)
			solved(other)
			for l := range Lanes {
				if l != changed && !slices.Equal(lane(want.Y, l), lane(other.Y, l)) {
					t.Errorf("lane %d depends on lane %d, or on what was solved before", l, changed)
				}
			}
		}
	})
}

// The iterations converge to the minimum, with one rho and with several.
func TestPairPanelSolverConverges(t *testing.T) {
	w := pairTransform(20, 24, 5)
	for _, s := range []Schedule{{300, 1.5, 1.5, 0, 1.8}, {300, 0.7, 3, 4, 1.7}, {300, 3, 1, 1, 1.7}} {
		p := NewPairPanelSolver(w, s)
		scratch := newPairScratch(p, 4)
		y := slices.Clone(scratch.Y)
		p.Analyze(scratch)
		p.Solve(scratch)
		for l := 0; l < Lanes; l += 13 {
			want, _, _ := solvePair(w, Schedule{2000, 2, 2, 0, 1.7}, lane(y, l), lane(scratch.P, l), lane(scratch.D, l),
				lane(scratch.E, l))
			if d := maxDiff(lane(scratch.Y, l), want); !(d < 1e-4) {
				t.Errorf("%v: lane %d is %g from the minimum", s, l, d)
			}
		}
	}
}

// The solver also works for equal rows and for rows far from unit norm.
func TestPairPanelSolverTakesAnyTransform(t *testing.T) {
	equal := NewTransform(64, 64)
	for i := range 64 {
		copy(equal.Row(i), pairTransform(1, 64, 8).W)
	}
	for name, c := range map[string]struct {
		w    Transform
		near bool // the solution is the noisy signal
	}{
		"zero":  {NewTransform(64, 64), true},
		"equal": {equal, false},
		"small": {equal.Scale(1e-15), true},
		"large": {equal.Scale(1e15), false},
		"tall":  {pairTransform(200, 8, 8).Scale(1e12), false},
	} {
		for _, rho := range []float64{minRho, 1, maxRho} {
			p := NewPairPanelSolver(c.w, Schedule{4, rho, rho, 0, 1.7})
			s := newPairScratch(p, 6)
			y := slices.Clone(s.Y)
			p.Analyze(s)
			p.Solve(s)
			for i, v := range s.Y {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) || c.near && math.Abs(float64(v-y[i])) > 1e-5 {
					t.Fatalf("%s, rho %g: %g for %g", name, rho, v, y[i])
				}
			}
		}
	}
}

// BenchmarkPairPanelSolver measures what denoising does for a panel of columns, without the weight function.
func BenchmarkPairPanelSolver(b *testing.B) {
	defer kernel.Select(Kernel())
	for _, name := range kernel.Available() {
		must.Do(b, kernel.Select(name))
		for _, schedule := range []Schedule{{5, 0.7, 3, 4, 1.7}, {5, 1.5, 1.5, 0, 1.8}, {8, 1.5, 1.5, 0, 1.8}} {
			p := NewPairPanelSolver(pairTransform(64, 64, 3), schedule)
			start := newPairScratch(p, 3)
			s := p.NewScratch()
			copy(s.P, start.P)
			copy(s.D, start.D)
			copy(s.E, start.E)
			b.Run(fmt.Sprintf("%s/I=%d,ramp=%d", name, schedule.Iterations, schedule.Ramp), func(b *testing.B) {
				for b.Loop() {
					copy(s.Y, start.Y)
					p.Analyze(s)
					p.Solve(s)
				}
			})
		}
	}
}
