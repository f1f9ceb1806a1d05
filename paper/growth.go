package paper

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/blorc-denoise/blorc-denoise/paper/gradient"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// growthIterations is the number of iterations of the unrolled methods, few enough that their other term is visible.
const growthIterations = 50

// growthMethod is a method with the expected orders of its memory and time. T is the number of iterations of unrolled
// methods.
type growthMethod struct {
	gradient.Method
	memory, time string
}

// growthMethods returns the methods that are measured. Their times exclude finding x*, and they may use matrix factors
// that finding x* leaves.
func growthMethods() []growthMethod {
	return []growthMethod{
		{&gradient.Corollary{}, "n²", "n³, singular values"},
		{&gradient.Factored{}, "n²", "n²"},
		{&gradient.Reverse{}, "n²", "n³, Cholesky factor"},
		{&gradient.Cone{}, "n², 16 times as many elements", "n³, of 4n unknowns"},
		{&gradient.Unrolled{Iterations: growthIterations}, "Tn + n²", "Tn²"},
		{&gradient.Unrolled{Iterations: growthIterations, Explicit: true}, "Tn + n³", "Tn³"},
		{&gradient.Implicit{Epsilon: 1e-4}, "n²", "n²"},
		{&gradient.Implicit{Epsilon: 1e-4, Explicit: true}, "n³", "n⁴, n² right-hand sides"},
	}
}

// growthResult is what a method needs for one gradient at one length.
type growthResult struct{ Bytes, Milliseconds float64 }

// growth measures memory and time for growing n.
func growth(ctx context.Context, s Setting, sec *sectionBuilder) error {
	sizes := []int{16, 32, 64, 128, 256}
	switch {
	case s.Effort < 1e-4:
		sizes = sizes[:3]
	case s.Effort < 0.05:
		sizes = sizes[:4]
	}
	methods := growthMethods()
	memory, times := make([]report.Series, len(methods)), make([]report.Series, len(methods))
	head := []string{"method"}
	for _, n := range sizes {
		head = append(head, fmt.Sprintf("n = %d", n))
	}
	head = append(head, "slope", "expected")
	bytesTable := report.Table{Caption: "Megabytes that one gradient needs", Head: head}
	timeTable := report.Table{Caption: "Milliseconds for one gradient, x* known", Head: head}
	for j, m := range methods {
		memory[j].Name, times[j].Name = m.Name(), m.Name()
		bytesRow, timeRow := []string{m.Name()}, []string{m.Name()}
		for _, n := range sizes {
			if err := ctx.Err(); err != nil {
				return err
			}
			g, err := cached(sec, fmt.Sprintf("growth %s %d", m.Name(), n),
				func() (growthResult, error) { return measure(m, n, s) })
			if err != nil {
				return err
			}
			memory[j].X, memory[j].Y = append(memory[j].X, float64(n)), append(memory[j].Y, g.Bytes/1e6)
			times[j].X, times[j].Y = append(times[j].X, float64(n)), append(times[j].Y, g.Milliseconds)
			bytesRow, timeRow = append(bytesRow, atLeastTwoDigits(g.Bytes/1e6)),
				append(timeRow, atLeastTwoDigits(g.Milliseconds))
		}
		bytesTable.Add(append(bytesRow, lastSlope(memory[j]), m.memory)...)
		timeTable.Add(append(timeRow, lastSlope(times[j]), m.time)...)
	}
	sec.say("Memory is everything that one gradient allocates after x* was found; for the unrolled methods, with T = "+
		"%d, it includes the iterations. The slope is over the last two segments of the curves: "+
		"2 belongs to n², 3 to n³. It is below its limit as long as lower orders matter: a panel of outer products "+
		"in the factored form, the Tn of the iterations in the unrolled one. "+
		"The paper's O(n³) is the cost of forming dx*/dW, an n x n² matrix (methods marked explicit). The chain rule "+
		"only needs the product of that matrix with x* - x_t, which the implicit function theorem gives "+
		"by one linear system, in O(n²). So the closed form saves memory compared with some implementations, not "+
		"compared with the methods as such.", growthIterations)
	sec.table(bytesTable)
	sec.table(timeTable)
	sec.figure("comp_table as curves, both axes logarithmic.",
		sec.lines(report.Axes{Title: "MB for one gradient", X: "n", Y: "MB", LogX: true, LogY: true}, memory...),
		sec.lines(report.Axes{Title: "milliseconds for one gradient, x* known", X: "n", Y: "ms", LogX: true,
			LogY: true}, times...))
	return nil
}

// lastSlope returns the slope over the last two segments of a curve, both axes logarithmic.
func lastSlope(s report.Series) string {
	i := len(s.X) - 1
	return fmt.Sprintf("%.1f", math.Log(s.Y[i]/s.Y[i-2])/math.Log(s.X[i]/s.X[i-2]))
}

// atLeastTwoDigits formats a positive value with two significant digits, or more to reach the units.
func atLeastTwoDigits(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// measure runs a method at length n, first to measure memory and then to measure the time of the gradient. The memory
// of the unrolled methods includes their iterations.
func measure(m growthMethod, n int, s Setting) (growthResult, error) {
	p := piecewiseConstant(n, 3, 6).draw(1, 0.1, s.Seed)
	problem := gradient.Problem{W: disturbedDifferences(n, s.Seed), Y: p.Noisy[0], Target: p.Clean[0]}
	_, unrolled := m.Method.(*gradient.Unrolled)
	var before, after runtime.MemStats
	if unrolled {
		runtime.ReadMemStats(&before)
	}
	if _, err := m.Solve(problem); err != nil {
		return growthResult{}, fmt.Errorf("%s: %w", m.Name(), err)
	}
	if !unrolled {
		runtime.ReadMemStats(&before)
	}
	if _, err := m.Gradient(); err != nil {
		return growthResult{}, fmt.Errorf("%s: %w", m.Name(), err)
	}
	runtime.ReadMemStats(&after)
	time, err := minTime(s.timingSeconds(), func() error { _, err := m.Gradient(); return err })
	return growthResult{float64(after.TotalAlloc - before.TotalAlloc), time}, err
}
