package kernel

import (
	"runtime"
	"time"
)

// PeakGFLOPS measures the float32 multiplications and additions that one core can do per second, in units of 1e9, with the
// instructions of the named backend and without memory traffic. It takes about 50 ms. The error is ErrUnsupported.
func PeakGFLOPS(name string) (float64, error) {
	b, err := find(name)
	if err != nil {
		return 0, err
	}
	const loops = 100_000
	best := time.Duration(1 << 62)
	for deadline := time.Now().Add(50 * time.Millisecond); time.Now().Before(deadline); {
		start := time.Now()
		b.peak(loops)
		best = min(best, time.Since(start))
	}
	return float64(loops) * float64(b.peakFlops) / float64(best.Nanoseconds()), nil
}

const peakChains = 8

// peak runs a loop of peakChains independent multiplications and additions.
func peak(loops int) {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	x := float32(loops) * 1e-9
	for range loops {
		s0, s1, s2, s3 = x*s0+x, x*s1+x, x*s2+x, x*s3+x
		s4, s5, s6, s7 = x*s4+x, x*s5+x, x*s6+x, x*s7+x
	}
	runtime.KeepAlive(s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7)
}
