package train

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// excessError is how far the fast solver may be from the exact solutions of single patches: the sum of ||x - x*||^2 over
// samples, relative to the loss of the exact solutions. Averaging overlapping patches leaves a quarter to a third of it;
// what an image loses was measured to be below 0.01 dB (models/TRAINING.md).
const excessError = 0.004

// tuneTransforms and tunePanels bound the work of tuning: so many transforms of a union, so many panels of each.
const (
	tuneTransforms = 8
	tunePanels     = 4
)

// tuning is what schedules are compared on: exact solutions for samples of one transform.
type tuning struct {
	w      solve.Transform
	panels [][]float32 // noisy signals
	exact  [][]float64 // solution of lane l of a panel at [l*N : (l+1)*N]
	loss   float64     // sum of ||x* - x_t||^2
}

// tuneSchedule finds the fixed schedule that the fast solver runs with the given transforms: the fewest iterations with
// which, at the best penalties and relaxation for that number, the error of the solution is below excessError. The
// transforms must be K x N in the coordinates of their sources.
func tuneSchedule(ctx context.Context, transforms []solve.Transform, sources []Source, workers int) (solve.Schedule, error) {
	var cases []*tuning
	for i := 0; i < len(transforms); i += max(1, len(transforms)/tuneTransforms) {
		cases = append(cases, newTuning(transforms[i], sources[i]))
	}
	const fewest, most = 3, 60
	var best solve.Schedule
	for n := fewest; n <= most; n++ {
		excess := math.Inf(1)
		for _, start := range starts(n, best) {
			if s, e := descend(ctx, cases, start, workers); e < excess {
				best, excess = s, e
			}
		}
		if excess < excessError || ctx.Err() != nil {
			break
		}
	}
	return best, ctx.Err()
}

// starts are the schedules of n iterations that the search goes out from: a rising penalty, which square transforms need,
// a small and falling one, which tall transforms need (from the other they end in valleys that ask for more iterations),
// and the best of fewer iterations, if there is one.
func starts(n int, best solve.Schedule) []solve.Schedule {
	all := []solve.Schedule{
		{Iterations: n, RhoStart: 1, RhoEnd: 5, Ramp: n, Relaxation: 1.8},
		{Iterations: n, RhoStart: 0.5, RhoEnd: 0.3, Ramp: 1, Relaxation: 1.9},
	}
	if best.Iterations > 0 {
		best.Iterations = n
		all = append(all, best)
	}
	return all
}

func newTuning(w solve.Transform, source Source) *tuning {
	t := &tuning{w: w}
	solver := bilevel.NewSolver(w)
	ws := solver.NewWorkspace()
	clean, noisy := make([]float64, solve.Lanes*w.N), make([]float64, solve.Lanes*w.N)
	const step = 1 << 30 // far from the steps of training
	source.Begin(step, tunePanels*solve.Lanes)
	for p := range tunePanels {
		panel, exact := make([]float32, w.N*solve.Lanes), make([]float64, w.N*solve.Lanes)
		for l := range solve.Lanes {
			source.Sample(p*solve.Lanes+l, clean[l*w.N:(l+1)*w.N], noisy[l*w.N:(l+1)*w.N])
			for i, v := range noisy[l*w.N : (l+1)*w.N] {
				panel[i*solve.Lanes+l] = float32(v)
			}
		}
		solver.Solve(ws, noisy, func(l int, sol *bilevel.Solution) {
			copy(exact[l*w.N:], sol.X)
			for i, x := range sol.X {
				e := x - clean[l*w.N+i]
				t.loss += e * e
			}
		})
		t.panels, t.exact = append(t.panels, panel), append(t.exact, exact)
	}
	return t
}

// excess is the sum of ||x - x*||^2 over the samples, for the fast solver's x.
func (t *tuning) excess(s solve.Schedule) (sum float64) {
	solver := solve.NewPanelSolver(t.w, s)
	scratch := solver.NewScratch()
	x := make([]float32, t.w.N*solve.Lanes)
	for p, panel := range t.panels {
		copy(x, panel)
		solver.Solve(x, scratch)
		for l := range solve.Lanes {
			for i, exact := range t.exact[p][l*t.w.N : (l+1)*t.w.N] {
				e := float64(x[i*solve.Lanes+l]) - exact
				sum += e * e
			}
		}
	}
	return sum
}

// relativeExcess is the error of a schedule relative to the loss, over all cases.
func relativeExcess(ctx context.Context, cases []*tuning, s solve.Schedule, workers int) float64 {
	sums := make([]float64, len(cases))
	parallel.For(ctx, workers, len(cases), func(_, i int) { sums[i] = cases[i].excess(s) })
	excess, loss := 0.0, 0.0
	for i, c := range cases {
		excess += sums[i]
		loss += c.loss
	}
	return excess / loss
}

// maxRelaxation keeps away from 2, where ADMM need not converge.
const maxRelaxation = 1.98

// descend lowers the error by changing one parameter at a time, by less and less, from s. It goes on with changes of one
// size while they take the error down by more than a hundredth.
func descend(ctx context.Context, cases []*tuning, s solve.Schedule, workers int) (solve.Schedule, float64) {
	best := relativeExcess(ctx, cases, s, workers)
	for _, factor := range []float64{1.5, 1.2, 1.08} {
		for before := math.Inf(1); best < 0.99*before && ctx.Err() == nil; {
			before = best
			for _, change := range changes {
				for _, sign := range []float64{1, -1} {
					candidate := s
					change(&candidate, factor, sign)
					candidate.Ramp = max(1, min(candidate.Ramp, candidate.Iterations))
					candidate.Relaxation = max(1, min(candidate.Relaxation, maxRelaxation))
					if candidate == s {
						continue
					}
					if e := relativeExcess(ctx, cases, candidate, workers); e < best {
						s, best = candidate, e
					}
				}
			}
		}
	}
	return s, best
}

// changes move one parameter each, up (sign 1) or down (-1).
var changes = []func(s *solve.Schedule, factor, sign float64){
	func(s *solve.Schedule, factor, sign float64) { s.RhoStart *= math.Pow(factor, sign) },
	func(s *solve.Schedule, factor, sign float64) { s.RhoEnd *= math.Pow(factor, sign) },
	func(s *solve.Schedule, _, sign float64) { s.Ramp += int(sign) },
	func(s *solve.Schedule, factor, sign float64) { s.Relaxation += sign * (factor - 1) / 5 },
}
