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
		l, h := rangeOf(p, workers)
		low, high = min(low, l), max(high, h)
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

// rangeOf returns the least and the largest finite sample, or plus and minus infinity if there is none.
func rangeOf(p []float32, workers int) (low, high float32) {
	const piece = 1 << 18
	low, high = float32(math.Inf(1)), float32(math.Inf(-1))
	var mu sync.Mutex
	_ = parallel.For(context.Background(), workers, (len(p)+piece-1)/piece, func(_, i int) { // too short to stop
		l, h := finiteRange(p[i*piece : min((i+1)*piece, len(p))])
		mu.Lock()
		defer mu.Unlock()
		low, high = min(low, l), max(high, h)
	})
	return low, high
}

// finiteRange is rangeOf without other goroutines.
func finiteRange(p []float32) (low, high float32) {
	low, high = float32(math.Inf(1)), float32(math.Inf(-1))
	for _, v := range p { // comparisons leave NaN out, and take less time than min and max
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	if low >= -math.MaxFloat32 && high <= math.MaxFloat32 {
		return low, high
	}
	low, high = float32(math.Inf(1)), float32(math.Inf(-1))
	for _, v := range p {
		if v-v == 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}
