package model

import (
	"sync/atomic"
	"time"
)

// Meter adds up what solvers do within Denoise. Goroutines may share it.
type Meter struct {
	flops       atomic.Int64
	nanoseconds atomic.Int64
}

// GFLOPS is how many multiplications and additions solvers have done in a second, in 1e9: only those of matrix products
// count, but all of the solvers' time.
func (m *Meter) GFLOPS() float64 { return float64(m.flops.Load()) / float64(m.nanoseconds.Load()) }

// measure runs a solver, which does a number of multiplications and additions.
func (m *Meter) measure(flops int, solve func()) {
	start := time.Now()
	solve()
	m.nanoseconds.Add(time.Since(start).Nanoseconds())
	m.flops.Add(int64(flops))
}
