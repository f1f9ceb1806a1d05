package mask

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// lost is how many times farther below its neighbours a lost sample is than they are from each other. Of noise with a
// normal distribution, one sample in ten million is as far. Photons are as far above them now and then.
const lost = 2

// Lost marks the pixels that have the least value of each plane, or the largest one, and are unlike the pixels around
// them in at least one plane: pixels without an echo, dead pixels and hot ones at full scale. If a picture has such
// values of its own, as in the clipped dark, they have some beside them. If they are clipped noise, single planes have
// them too. The masks known mark the samples of each plane that carry no picture for another reason. These count as
// lost, so the other samples of their pixels may be lost, too. Lost returns nil if it finds no pixel. The result does
// not depend on the number of workers.
func Lost(planes [][]float32, width int, known []*Mask, workers int) *Mask {
	low, high := make([]end, len(planes)), make([]end, len(planes))
	for i, p := range planes {
		sorted := some(p, known[i])
		if len(sorted) == 0 {
			return nil
		}
		f, step := finder{plane: p, width: width, known: known[i]}, stepOf(sorted)
		low[i], high[i] = end{f, sorted[0], lost, step}, end{f, sorted[len(sorted)-1], hot, step}
	}
	return lostAt(low, workers).Union(lostAt(high, workers))
}

// end is the least or the largest value of a plane.
type end struct {
	finder
	value float32
	times float64 // how many times farther lost samples are from those around them than these are from each other
	step  float64 // between samples
}

// lostAt marks the lost pixels at one end of all planes. If most pixels with these values are lost, it marks all.
func lostAt(ends []end, workers int) *Mask {
	all, single := pixels(ends, workers)
	if single.Len() < repeats {
		return nil
	}
	for i := range ends {
		if _, own := pixels(ends[i:i+1], workers); repeats*(own.Len()-single.Len()) > single.Len() {
			return nil
		}
	}
	if 2*single.Len() > all.Len() {
		return all
	}
	return single
}

// pixels marks the pixels that have the value in at least one plane, and in each other plane the value or a known
// sample. Single marks those of them that are lost in at least one plane.
func pixels(ends []end, workers int) (all, single *Mask) {
	var mu sync.Mutex
	n := len(ends[0].plane)
	_ = parallel.Bands(context.Background(), workers, 1, n, func(from, to int) { // too short to stop
		for i := from; i < to; i++ {
			known, equal := 0, 0 // planes
			for _, e := range ends {
				if e.known.Has(i) {
					known++
				} else if e.plane[i] == e.value {
					equal++
				}
			}
			if equal == 0 || known+equal < len(ends) {
				continue
			}
			alone := known > 0 || slices.ContainsFunc(ends, func(e end) bool { return e.isLost(i) })
			mu.Lock()
			if all = all.mark(i, n); alone {
				single = single.mark(i, n)
			}
			mu.Unlock()
		}
	})
	return all, single
}

// isLost reports whether a sample has no two neighbours of the same value, and is unlike those around it.
func (e end) isLost(at int) bool {
	n := 0
	for _, i := range [...]int{at - 1, at + 1, at - e.width, at + e.width} { // a row goes on in the next one
		if i >= 0 && i < len(e.plane) && e.plane[i] == e.plane[at] {
			n++
		}
	}
	return n <= 1 && e.isUnlike(at, e.times, e.step)
}

// stepOf returns the least difference between two sorted values.
func stepOf(sorted []float32) float64 {
	step := math.Inf(1)
	for i, v := range sorted[1:] {
		if v > sorted[i] {
			step = min(step, float64(v)-float64(sorted[i]))
		}
	}
	return step
}
