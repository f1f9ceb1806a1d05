package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
	"github.com/blorc-denoise/blorc-denoise/paper/gradient"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// differenceStep balances the rounding of the loss, about 1e-16, against the third derivative, which is large where rows
// of W_0 nearly depend on each other.
const differenceStep = 1e-6

// paperGradient holds table:compare: milliseconds and error at n = 36 and n = 64.
var paperGradient = map[string][4]float64{
	"closed form": {7.54, 3.2e-9, 12.65, 5.13e-9}, "reverse mode": {8.75, 3.7e-9, 14.03, 5.35e-9}, "cone program": {17.85, 4.8e-5, 41.86, 3.2e-5},
}

// gradientBound is the error of the closed form that this reproduction asks for.
const gradientBound = 1e-8

func gradients(ctx context.Context, s Setting, sh *sheet) error {
	pairs := s.count(100, 1)
	sh.Size = fmt.Sprintf("%d pairs (paper: 100)", pairs)
	sh.say("Each method goes from (W, y, x_t) to dQ/dW on one core, all in one run. Times are processor time, the least of several runs of the first pair; the time to find x* is apart, " +
		"as the paper does not say whether its times include it. The error is the largest absolute difference of an element from central differences " +
		"with a step of 1e-6: mean over the pairs, and the worst pair. At every point of the differences the KKT conditions are checked; pairs with a kink within the step are left out.")
	sizes := []int{36, 64}
	if s.Effort < 1e-4 {
		sizes = sizes[:1]
	}
	var found []string
	faster := map[string]int{} // cases in which the closed form as printed, or the factored one, is the faster one
	cases := 0
	for _, start := range []struct {
		key, name string
		w         func(n int) solve.Transform
	}{
		{"I", "W = I in the paper's convention, I/2 in ours", func(n int) solve.Transform { return solve.Identity(n, 0.5) }},
		{"differences", "W = finite differences and one row more, all elements disturbed so that each row changes by about 0.08 in norm", func(n int) solve.Transform { return disturbedDifferences(n, s.Seed) }},
	} {
		t := report.Table{Caption: start.name, Head: []string{"method", "n", "x*, ms", "gradient, ms", "time / closed form", "mean error", "worst error", "paper, ms", "paper, time / closed form", "paper, error"}}
		for i, n := range sizes {
			rows, err := kept(sh, fmt.Sprintf("%s %d", start.key, n), func() ([]compared, error) { return compare(ctx, s, start.w(n), pairs) })
			if err != nil {
				return err
			}
			for _, r := range rows {
				told := []string{"", "", ""}
				if p, ok := paperGradient[r.Name]; ok {
					told = []string{number(p[2*i]), number(p[2*i] / paperGradient["closed form"][2*i]), small(p[2*i+1])}
				}
				t.Add(append([]string{r.Name, fmt.Sprint(n), fmt.Sprintf("%.3f", r.Solve), fmt.Sprintf("%.3f", r.Gradient), number(r.Gradient / rows[0].Gradient), small(r.Err), small(r.Worst)}, told...)...)
			}
			cases++
			for _, r := range rows[2:4] { // reverse mode and the cone program
				if rows[0].Gradient < r.Gradient {
					faster["printed "+r.Name]++
				}
				if rows[1].Gradient < r.Gradient {
					faster["factored "+r.Name]++
				}
			}
			relation := "at most"
			if rows[0].Err > gradientBound {
				relation = "more than"
			}
			found = append(found, fmt.Sprintf("%.1e for n = %d at %s (%s %.0e)", rows[0].Err, n, start.key, relation, gradientBound))
		}
		sh.table(t)
	}
	sh.say("Mean error of the closed form: %s. In accuracy the exact methods are equal: what differs from central differences is mostly the rounding of these.", strings.Join(found, ", "))
	sh.say("The paper has the closed form before automatic differentiation and that before the cone program. Here, of %d cases the formula as printed is faster than reverse mode in %d and than the cone program in %d: "+
		"it pays for its pseudo-inverse, by singular values, where reverse mode needs a Cholesky factor. The same gradient from the factor that the solver has already is faster than reverse mode in %d, and than the cone program in %d.",
		cases, faster["printed reverse mode"], faster["printed cone program"], faster["factored reverse mode"], faster["factored cone program"])
	return growth(ctx, s, sh)
}

// disturbedDifferences is a transform as it looks in the middle of training. The disturbance of a row has the same norm for
// all n, so that about the same share of W x* is zero.
func disturbedDifferences(n int, seed uint64) solve.Transform {
	rng := rand.New(rand.NewPCG(seed, 41))
	w := square(FiniteDifferences(n, 0.15))
	for i := range w.W {
		w.W[i] += 0.08 / math.Sqrt(float64(n)) * rng.NormFloat64()
	}
	return w
}

// compared is a row of the table.
type compared struct {
	Name                        string
	Solve, Gradient, Err, Worst float64 // milliseconds, and errors: mean over the pairs, and of the worst one
}

func compare(ctx context.Context, s Setting, w solve.Transform, pairs int) ([]compared, error) {
	p := PiecewiseConstant(w.N, 3, 6).Draw(3*pairs, 0.1, s.Seed)
	methods := gradient.Methods()
	rows := make([]compared, len(methods))
	used := 0
	for i := 0; i < p.Len() && used < pairs; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		problem := gradient.Problem{W: w, Y: p.Noisy[i], Target: p.Clean[i]}
		want, ok := gradient.CentralDifferences(problem, differenceStep)
		if !ok {
			continue
		}
		used++
		for j, m := range methods {
			if used == 1 {
				var err error
				if rows[j], err = timed(m, problem, s.patience()); err != nil {
					return nil, err
				}
			}
			got, err := runMethod(m, problem)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Name(), err)
			}
			worst := 0.0
			for l, v := range got.W {
				worst = max(worst, math.Abs(v-want.W[l]))
			}
			rows[j].Err += worst
			rows[j].Worst = max(rows[j].Worst, worst)
		}
	}
	for j := range rows {
		rows[j].Err /= float64(used)
	}
	return rows, nil
}

func runMethod(m gradient.Method, p gradient.Problem) (solve.Transform, error) {
	if _, err := m.Solve(p); err != nil {
		return solve.Transform{}, err
	}
	return m.Gradient()
}

// timed returns the least times of several runs, as many as fit into so many seconds, but one at least.
func timed(m gradient.Method, p gradient.Problem, seconds float64) (compared, error) {
	c := compared{Name: m.Name()}
	var err error
	if c.Solve, err = least(seconds, func() error { _, err := m.Solve(p); return err }); err == nil {
		c.Gradient, err = least(seconds, func() error { _, err := m.Gradient(); return err })
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", m.Name(), err)
	}
	return c, nil
}

// patience is how many seconds a time is taken for the least one.
func (s Setting) patience() float64 {
	if s.Effort < 1e-4 {
		return 0 // one run
	}
	return 0.2
}

// least is the least time of a run in milliseconds of processor time, as other programs may run at the same time. Short runs
// are measured many at a time.
func least(seconds float64, run func() error) (float64, error) {
	const enough = 5e-4 // seconds, far above what reading the clock takes
	best := math.Inf(1)
	begin := now()
	for repeats := 1; math.IsInf(best, 1) || begin.until(now()).Elapsed < seconds; {
		start := now()
		for range repeats {
			if err := run(); err != nil {
				return 0, err
			}
		}
		took := start.until(now()).processor()
		best = min(best, 1e3*took/float64(repeats))
		if took < enough {
			repeats *= 2
		}
	}
	return best, nil
}
