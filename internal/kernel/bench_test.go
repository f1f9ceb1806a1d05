package kernel

import (
	"fmt"
	"testing"
)

// BenchmarkKernels reports how fast each loop is. Only the multiplications and additions of the product count.
func BenchmarkKernels(b *testing.B) {
	for _, be := range backends {
		for _, rows := range []int{63, 64, 128, 192} {
			p := newProblem(rows, 64, normal(1)).in(be, &staggered{})
			p.c1, p.c2, p.step = 1, 1, PairStep{1, 1, 1, 1, 1}
			for _, kernel := range []string{"DualStep", "DualStepSingle", "DualStepPair", "PrimalStep"} {
				b.Run(fmt.Sprintf("%s/%s/k=%d", be.name, kernel, rows), func(b *testing.B) {
					for b.Loop() {
						p.call(kernel)
					}
					b.ReportMetric(2*float64(rows)*64*Lanes*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			}
		}
	}
}

// staggered is memory with different offsets within a page, like that of NewPanels.
type staggered struct{ n int }

func (s *staggered) floats(n int) []float32 {
	s.n++
	return make([]float32, n+4096)[s.n*160%1024:][:n]
}

func (s *staggered) intact(testing.TB, string) {}
