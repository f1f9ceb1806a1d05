package noisecurve

import (
	"context"
	"math"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
	"github.com/blorc-denoise/blorc-denoise/internal/radix"
)

// scan finds the range of the samples and their step.
func scan(planes [][]float32, workers int) (c Curve) {
	low, high := float32(math.Inf(1)), float32(math.Inf(-1))
	var some []float32
	for _, p := range planes {
		r := rangeOf(p, workers)
		low, high = min(low, r.low), max(high, r.high)
		stride := len(p)/(1<<15) | 1 // odd, so that it does not fall in with the width of the image
		for i := 0; i < len(p); i += stride {
			if v := p[i]; v-v == 0 { // finite
				some = append(some, v)
			}
		}
	}
	if low > high {
		return c
	}
	c.Low, c.High = float64(low), float64(high)
	c.Step = c.High - c.Low
	radix.Sort(some)
	for i := 1; i < len(some); i++ {
		if d := float64(some[i]) - float64(some[i-1]); d > 0 {
			c.Step = min(c.Step, d)
		}
	}
	return c
}

// extent is the least and the largest finite sample, or plus and minus infinity if there is none.
type extent struct{ low, high float32 }

func (e extent) union(other extent) extent {
	return extent{min(e.low, other.low), max(e.high, other.high)}
}

var nothing = extent{float32(math.Inf(1)), float32(math.Inf(-1))}

func rangeOf(p []float32, workers int) extent {
	const piece = 1 << 18
	all := nothing
	var mu sync.Mutex
	_ = parallel.For(context.Background(), workers, (len(p)+piece-1)/piece, func(_, i int) { // too short to stop
		r := finiteRange(p[i*piece : min((i+1)*piece, len(p))])
		mu.Lock()
		defer mu.Unlock()
		all = all.union(r)
	})
	return all
}

// finiteRange is rangeOf without other goroutines.
func finiteRange(p []float32) extent {
	if r, ok := usualRange(p); ok {
		return r
	}
	r := nothing
	for _, v := range p {
		if v-v == 0 {
			r.low, r.high = min(r.low, v), max(r.high, v)
		}
	}
	return r
}

// usualRange is finiteRange for samples that are finite and have no sign, and false for others. The bits of such
// samples are ordered as they are, and comparing bits takes less time.
func usualRange(p []float32) (r extent, ok bool) {
	const infinite = 0x7f800000
	low, high := uint32(math.MaxUint32), uint32(0)
	otherLow, otherHigh := low, high // a comparison need not wait for the one before
	for ; len(p) >= 2; p = p[2:] {
		a, b := math.Float32bits(p[0]), math.Float32bits(p[1])
		low, high = min(low, a), max(high, a)
		otherLow, otherHigh = min(otherLow, b), max(otherHigh, b)
	}
	for _, v := range p {
		low, high = min(low, math.Float32bits(v)), max(high, math.Float32bits(v))
	}
	low, high = min(low, otherLow), max(high, otherHigh)
	return extent{math.Float32frombits(low), math.Float32frombits(high)}, high < infinite && low <= high
}
