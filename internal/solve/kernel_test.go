package solve

import (
	"fmt"
	"testing"

	"github.com/blorc-denoise/blorc-denoise/internal/kernel"
	"github.com/blorc-denoise/blorc-denoise/internal/must"
)

func TestPanelSolverIsADMMOnEveryKernel(t *testing.T) {
	onEveryKernel(t, func(t *testing.T) {
		comparePanel(t, randomTransform(63, 64, 0.2, 5), DefaultSchedule())
		comparePanel(t, randomTransform(70, 30, 0.2, 5), DefaultSchedule())
	})
}

// onEveryKernel runs a test with each kernel of this computer.
func onEveryKernel(t *testing.T, f func(t *testing.T)) {
	before := Kernel()
	defer func() {
		if err := kernel.Select(before); err != nil {
			t.Error(err)
		}
	}()
	for _, name := range kernel.Available() {
		must.Do(t, kernel.Select(name))
		t.Run(name, f)
	}
}

// BenchmarkPanelSolver reports the speed of the matrix products.
func BenchmarkPanelSolver(b *testing.B) {
	defer kernel.Select(Kernel())
	for _, name := range kernel.Available() {
		must.Do(b, kernel.Select(name))
		for _, size := range [][2]int{{63, 63}, {63, 64}, {64, 64}, {128, 64}, {192, 64}} {
			k, n, s := size[0], size[1], DefaultSchedule()
			p := NewPanelSolver(randomTransform(k, n, 0.2, 3), s)
			signals, panel, scratch := make([]float32, n*Lanes), make([]float32, n*Lanes), p.NewScratch()
			for i, v := range randomSignal(len(panel), 1, 3) {
				signals[i] = float32(v)
			}
			b.Run(fmt.Sprintf("%s/k=%d,n=%d", name, k, n), func(b *testing.B) {
				for b.Loop() {
					copy(panel, signals) // solving solutions again would lead to denormals, which are slow
					p.Solve(panel, scratch)
				}
				work := 2 * Lanes * float64(n) * float64(2*k*s.Iterations+2*n)
				b.ReportMetric(work*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}

// BenchmarkNewSolver measures how long it takes to prepare the solver of one cluster.
func BenchmarkNewSolver(b *testing.B) {
	w, s := randomTransform(63, 64, 0.2, 3), Schedule{Iterations: 6, RhoStart: 1.5, RhoEnd: 5, Ramp: 6, Relaxation: 1.9}
	b.Run("two", func(b *testing.B) {
		for b.Loop() {
			NewPanelSolver(w, s)
		}
	})
	b.Run("single", func(b *testing.B) {
		for b.Loop() {
			NewCoefficientSolver(w, s)
		}
	})
}
