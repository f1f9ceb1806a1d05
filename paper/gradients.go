package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/blorc-denoise/blorc-denoise/model"
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

func gradients(ctx context.Context, s Setting, sh *sheet) error {
	pairs := s.count(100, 1)
	sh.Size = fmt.Sprintf("%d pairs (paper: 100)", pairs)
	sh.say("Each method goes from (W, y, x_t) to dQ/dW on one core. Times are the least of several runs of the first pair; the time to find x* is apart, " +
		"as the paper does not say whether its times include it. The error is the largest absolute difference of an element from central differences " +
		"with a step of 1e-6, mean over the pairs. At every point of the differences the KKT conditions are checked; pairs with a kink within the step are left out.")
	sizes := []int{36, 64}
	if s.Effort < 1e-4 {
		sizes = sizes[:1]
	}
	for _, start := range []struct {
		name string
		w    func(n int) model.Transform
	}{
		{"W = I in the paper's convention, I/2 in ours", func(n int) model.Transform { return model.Identity(n, 0.5) }},
		{"W = finite differences and one row more, all elements disturbed by 0.01", func(n int) model.Transform { return disturbedDifferences(n, s.Seed) }},
	} {
		t := report.Table{Caption: start.name, Head: []string{"method", "n", "x* ms", "gradient ms", "ratio to closed form", "error", "paper ms", "paper ratio", "paper error"}}
		for i, n := range sizes {
			rows, err := compare(ctx, s, start.w(n), pairs)
			if err != nil {
				return err
			}
			for _, r := range rows {
				told := []string{"", "", ""}
				if p, ok := paperGradient[r.name]; ok {
					told = []string{number(p[2*i]), number(p[2*i] / paperGradient["closed form"][2*i]), small(p[2*i+1])}
				}
				t.Add(append([]string{r.name, fmt.Sprint(n), fmt.Sprintf("%.3f", r.solve), fmt.Sprintf("%.3f", r.gradient), number(r.gradient / rows[0].gradient), small(r.err)}, told...)...)
			}
		}
		sh.table(t)
	}
	return growth(ctx, s, sh)
}

// disturbedDifferences is a transform as it looks in the middle of training.
func disturbedDifferences(n int, seed uint64) model.Transform {
	rng := rand.New(rand.NewPCG(seed, 41))
	w := square(FiniteDifferences(n, 0.15))
	for i := range w.W {
		w.W[i] += 0.01 * rng.NormFloat64()
	}
	return w
}

// compared is a row of the table.
type compared struct {
	name                 string
	solve, gradient, err float64 // milliseconds, and error
}

func compare(ctx context.Context, s Setting, w model.Transform, pairs int) ([]compared, error) {
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
				if rows[j], err = timed(m, problem, 20); err != nil {
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
			rows[j].err += worst
		}
	}
	for j := range rows {
		rows[j].err /= float64(used)
	}
	return rows, nil
}

func runMethod(m gradient.Method, p gradient.Problem) (model.Transform, error) {
	if _, err := m.Solve(p); err != nil {
		return model.Transform{}, err
	}
	return m.Gradient()
}

// timed returns the least times of several runs.
func timed(m gradient.Method, p gradient.Problem, runs int) (compared, error) {
	c := compared{name: m.Name(), solve: math.Inf(1), gradient: math.Inf(1)}
	for range runs {
		start := time.Now()
		if _, err := m.Solve(p); err != nil {
			return c, fmt.Errorf("%s: %w", m.Name(), err)
		}
		solved := time.Now()
		if _, err := m.Gradient(); err != nil {
			return c, fmt.Errorf("%s: %w", m.Name(), err)
		}
		c.solve = min(c.solve, solved.Sub(start).Seconds()*1e3)
		c.gradient = min(c.gradient, time.Since(solved).Seconds()*1e3)
	}
	return c, nil
}

// growth measures memory and time as n grows.
func growth(ctx context.Context, s Setting, sh *sheet) error {
	sizes := []int{16, 32, 64, 128, 256}
	switch {
	case s.Effort < 1e-4:
		sizes = sizes[:3]
	case s.Effort < 0.05:
		sizes = sizes[:4]
	}
	const iterations = 50 // of the unrolled methods here, so that their other term shows
	methods := []gradient.Method{&gradient.Corollary{}, &gradient.Factored{}, &gradient.Reverse{}, &gradient.Cone{}, &gradient.Unrolled{Iterations: iterations},
		&gradient.Unrolled{Iterations: iterations, Explicit: true}, &gradient.Implicit{Epsilon: 1e-4}, &gradient.Implicit{Epsilon: 1e-4, Explicit: true}}
	memory, times := make([]report.Series, len(methods)), make([]report.Series, len(methods))
	t := report.Table{Caption: "Megabytes allocated for one gradient, and the growth from the size before: 4 is n², 8 is n³", Head: []string{"method"}}
	for _, n := range sizes {
		t.Head = append(t.Head, fmt.Sprintf("n = %d", n))
	}
	for j, m := range methods {
		memory[j].Name, times[j].Name = m.Name(), m.Name()
		row := []string{m.Name()}
		for i, n := range sizes {
			if err := ctx.Err(); err != nil {
				return err
			}
			p := PiecewiseConstant(n, 3, 6).Draw(1, 0.1, s.Seed)
			problem := gradient.Problem{W: disturbedDifferences(n, s.Seed), Y: p.Noisy[0], Target: p.Clean[0]}
			bytes, err := allocated(m, problem)
			if err != nil {
				return err
			}
			c, err := timed(m, problem, 3)
			if err != nil {
				return err
			}
			memory[j].X, memory[j].Y = append(memory[j].X, float64(n)), append(memory[j].Y, bytes/1e6)
			times[j].X, times[j].Y = append(times[j].X, float64(n)), append(times[j].Y, c.gradient)
			cell := megabytes(bytes)
			if i > 0 {
				cell += fmt.Sprintf(" (%.1f)", memory[j].Y[i]/memory[j].Y[i-1])
			}
			row = append(row, cell)
		}
		t.Add(row...)
	}
	sh.say("Memory is what one gradient allocates, after x* was found (for the unrolled methods, with the iterations: %d). The paper's O(n³) is the price of forming "+
		"dx*/dW, an n x n² matrix (methods marked explicit). The chain rule needs only its product with x* - x_t, which the implicit function theorem gives "+
		"with one linear system, in O(n²). So the advantage of the closed form in memory is over implementations, not over methods. In accuracy the exact methods are equal, and a cone program that is solved tightly comes near; in time the formula as printed pays for its pseudo-inverse, the factored one does not.", iterations)
	sh.table(t)
	sh.figure("comp_table as curves, both axes logarithmic.",
		sh.lines(report.Axes{Title: "MB allocated for one gradient", X: "n", Y: "MB", LogX: true, LogY: true}, memory...),
		sh.lines(report.Axes{Title: "milliseconds for one gradient, x* known", X: "n", Y: "ms", LogX: true, LogY: true}, times...))
	return nil
}

func megabytes(bytes float64) string {
	if mb := bytes / 1e6; mb >= 10 {
		return fmt.Sprintf("%.0f", mb)
	}
	return fmt.Sprintf("%.2g", bytes/1e6)
}

// allocated is the number of bytes that the gradient allocates, for the unrolled methods also their iterations.
func allocated(m gradient.Method, p gradient.Problem) (float64, error) {
	_, unrolled := m.(*gradient.Unrolled)
	var before, after runtime.MemStats
	if unrolled {
		runtime.ReadMemStats(&before)
	}
	if _, err := m.Solve(p); err != nil {
		return 0, err
	}
	if !unrolled {
		runtime.ReadMemStats(&before)
	}
	if _, err := m.Gradient(); err != nil {
		return 0, err
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc), nil
}
