package model

import (
	"slices"
	"sync"
	"time"
)

// Meter measures what solvers do within Denoise. Goroutines may share it.
type Meter struct {
	mu    sync.Mutex
	flops float64
	time  time.Duration
	rates []float64 // of each solution
}

// GFLOPS is how many multiplications and additions solvers have done in a second, in 1e9: only those of matrix products
// count, but all of the solvers' time. The median is that of single panels, which take so short a time that most are not
// interrupted by other programs.
func (m *Meter) GFLOPS() (mean, median float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rates) == 0 {
		return 0, 0
	}
	slices.Sort(m.rates)
	return m.flops / float64(m.time.Nanoseconds()), m.rates[len(m.rates)/2]
}

// measure runs a solver, which does a number of multiplications and additions.
func (m *Meter) measure(flops int, solve func()) {
	start := time.Now()
	solve()
	t := time.Since(start)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flops += float64(flops)
	m.time += t
	m.rates = append(m.rates, float64(flops)/float64(t.Nanoseconds()))
}
