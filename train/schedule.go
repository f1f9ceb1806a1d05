package train

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/bilevel"
	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// excessError is the largest error of the fast solver that tuning accepts: the sum of ||x - x*||^2 over single patches
// as a share of the loss of the exact solutions x*. Averaging overlapping patches reduces it to a quarter or a third.
// The measured loss of whole images is below 0.01 dB (docs/laboratory.md).
const excessError = 0.004

// tuneTransforms and tunePanels bound the work of tuning: about as many transforms of a union, and panels for each.
const (
	tuneTransforms = 8
	tunePanels     = 4
)

// tuningCase holds exact solutions for samples of one transform, which schedules are compared with.
type tuningCase struct {
	w      solve.Transform
	panels [][]float32 // noisy signals
	exact  [][]float64 // for each panel the solutions; that of lane l is at [l*N : (l+1)*N]
	loss   float64     // sum of ||x* - x_t||^2
}

// tuneSchedule returns the schedule of the fast solver for the given transforms. It has the fewest iterations for which
// the best penalties and relaxation that it finds make the error less than excessError. The transforms are for the
// signals of their sources.
func tuneSchedule(ctx context.Context, transforms []solve.Transform, sources []Source, workers int) (solve.Schedule,
	error) {
	var cases []*tuningCase
	for i := 0; i < len(transforms); i += max(1, len(transforms)/tuneTransforms) {
		cases = append(cases, newTuningCase(transforms[i], sources[i]))
	}
	const fewest, most = 3, 60
	var best solve.Schedule
	for n := fewest; n <= most; n++ {
		excess := math.Inf(1)
		for _, start := range startSchedules(n, best) {
			if s, e := improve(ctx, cases, start, workers); e < excess {
				best, excess = s, e
			}
		}
		if excess < excessError || ctx.Err() != nil {
			break
		}
	}
	return best, ctx.Err()
}

// startSchedules returns the schedules of n iterations that the search starts from: one with a rising penalty for
// square transforms, one with a small and falling penalty for tall transforms, for which the search from the first one
// ends in local minima, and the best one with fewer iterations, if there is one.
func startSchedules(n int, best solve.Schedule) []solve.Schedule {
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

// newTuningCase draws samples and solves them exactly.
func newTuningCase(w solve.Transform, source Source) *tuningCase {
	t := &tuningCase{w: w}
	solver := bilevel.NewSolver(w)
	ws := solver.NewWorkspace()
	clean, noisy := make([]float64, solve.Lanes*w.N), make([]float64, solve.Lanes*w.N)
	const step = 1 << 30 // gives other samples than the steps of training
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

// excess returns the sum of ||x - x*||^2 over the samples for the solutions x of the fast solver.
func (t *tuningCase) excess(s solve.Schedule) (sum float64) {
	solver := solve.NewSolver(t.w, s)
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

// relativeExcess returns the error of a schedule over all cases as a share of their loss.
func relativeExcess(ctx context.Context, cases []*tuningCase, s solve.Schedule, workers int) float64 {
	sums := make([]float64, len(cases))
	parallel.For(ctx, workers, len(cases), func(_, i int) { sums[i] = cases[i].excess(s) })
	excess, loss := 0.0, 0.0
	for i, c := range cases {
		excess += sums[i]
		loss += c.loss
	}
	return excess / loss
}

// maxRelaxation is less than 2, from where on ADMM need not converge.
const maxRelaxation = 1.98

// improve lowers the error of the schedule s by changing one parameter at a time, by smaller and smaller factors. It
// keeps a factor as long as a round of changes lowers the error by more than a hundredth.
func improve(ctx context.Context, cases []*tuningCase, s solve.Schedule, workers int) (solve.Schedule, float64) {
	best := relativeExcess(ctx, cases, s, workers)
	for _, factor := range []float64{1.5, 1.2, 1.08} {
		for before := math.Inf(1); best < 0.99*before && ctx.Err() == nil; {
			before = best
			for _, change := range changes {
				for _, sign := range []float64{1, -1} {
					candidate := changed(s, change, factor, sign)
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

// changed returns a schedule with one parameter changed, within the limits of all parameters.
func changed(s solve.Schedule, change func(s *solve.Schedule, factor, sign float64), factor,
	sign float64) solve.Schedule {
	change(&s, factor, sign)
	s.Ramp = max(1, min(s.Ramp, s.Iterations))
	s.Relaxation = max(1, min(s.Relaxation, maxRelaxation))
	return s
}

// changes holds a function for each parameter of a schedule that changes it up (sign 1) or down (-1).
var changes = []func(s *solve.Schedule, factor, sign float64){
	func(s *solve.Schedule, factor, sign float64) { s.RhoStart *= math.Pow(factor, sign) },
	func(s *solve.Schedule, factor, sign float64) { s.RhoEnd *= math.Pow(factor, sign) },
	func(s *solve.Schedule, _, sign float64) { s.Ramp += int(sign) },
	func(s *solve.Schedule, factor, sign float64) { s.Relaxation += sign * (factor - 1) / 5 },
}
