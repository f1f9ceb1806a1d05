package paper

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/blorc-denoise/blorc-denoise/paper/gradient"
	"github.com/blorc-denoise/blorc-denoise/paper/report"
)

// growthIterations is that of the unrolled methods, so few that their other term shows.
const growthIterations = 50

// growing is a method with the orders that its memory and time should have, T the iterations of unrolled methods.
type growing struct {
	gradient.Method
	memory, time string
}

// Times are those after x* was found, with the factors that finding it leaves.
func growingMethods() []growing {
	return []growing{
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

// grown is what a method needs at one length.
type grown struct{ Bytes, Milliseconds float64 }

// growth measures memory and time as n grows.
func growth(ctx context.Context, s Setting, sh *sheet) error {
	sizes := []int{16, 32, 64, 128, 256}
	switch {
	case s.Effort < 1e-4:
		sizes = sizes[:3]
	case s.Effort < 0.05:
		sizes = sizes[:4]
	}
	methods := growingMethods()
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
			g, err := kept(sh, fmt.Sprintf("growth %s %d", m.Name(), n), func() (grown, error) { return measure(m, n, s) })
			if err != nil {
				return err
			}
			memory[j].X, memory[j].Y = append(memory[j].X, float64(n)), append(memory[j].Y, g.Bytes/1e6)
			times[j].X, times[j].Y = append(times[j].X, float64(n)), append(times[j].Y, g.Milliseconds)
			bytesRow, timeRow = append(bytesRow, short(g.Bytes/1e6)), append(timeRow, short(g.Milliseconds))
		}
		bytesTable.Add(append(bytesRow, lastSlope(memory[j]), m.memory)...)
		timeTable.Add(append(timeRow, lastSlope(times[j]), m.time)...)
	}
	sh.say("Memory is all that one gradient allocates after x* was found (for the unrolled methods, T = %d, with the iterations). The slope is that of the curves' last two pieces: "+
		"2 belongs to n², 3 to n³. It lies below its limit while lower orders count: a panel of outer products in the factored form, the iterations' Tn in the unrolled one. "+
		"The paper's O(n³) is the price of forming dx*/dW, an n x n² matrix (methods marked explicit). The chain rule needs only its product with x* - x_t, which the implicit function theorem gives "+
		"with one linear system, in O(n²). So the advantage of the closed form in memory is over implementations, not over methods.", growthIterations)
	sh.table(bytesTable)
	sh.table(timeTable)
	sh.figure("comp_table as curves, both axes logarithmic.",
		sh.lines(report.Axes{Title: "MB for one gradient", X: "n", Y: "MB", LogX: true, LogY: true}, memory...),
		sh.lines(report.Axes{Title: "milliseconds for one gradient, x* known", X: "n", Y: "ms", LogX: true, LogY: true}, times...))
	return nil
}

// lastSlope is that of the last two pieces of a curve together, both axes logarithmic.
func lastSlope(s report.Series) string {
	i := len(s.X) - 1
	return fmt.Sprintf("%.1f", math.Log(s.Y[i]/s.Y[i-2])/math.Log(s.X[i]/s.X[i-2]))
}

// short has two or more digits.
func short(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// measure runs a method at length n: once for memory, which for the unrolled methods includes their iterations, and then
// for the time of the gradient.
func measure(m growing, n int, s Setting) (grown, error) {
	p := PiecewiseConstant(n, 3, 6).Draw(1, 0.1, s.Seed)
	problem := gradient.Problem{W: disturbedDifferences(n, s.Seed), Y: p.Noisy[0], Target: p.Clean[0]}
	_, unrolled := m.Method.(*gradient.Unrolled)
	var before, after runtime.MemStats
	if unrolled {
		runtime.ReadMemStats(&before)
	}
	if _, err := m.Solve(problem); err != nil {
		return grown{}, fmt.Errorf("%s: %w", m.Name(), err)
	}
	if !unrolled {
		runtime.ReadMemStats(&before)
	}
	if _, err := m.Gradient(); err != nil {
		return grown{}, fmt.Errorf("%s: %w", m.Name(), err)
	}
	runtime.ReadMemStats(&after)
	time, err := least(s.patience(), func() error { _, err := m.Gradient(); return err })
	return grown{float64(after.TotalAlloc - before.TotalAlloc), time}, err
}
