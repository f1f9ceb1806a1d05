package mask

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/radix"
)

// What lies outside of the picture is told by the core, which is 98 % of the samples of the picture.
const (
	tail = 0.01 // share of samples at each end that may be anything
	// apart is how far from the picture a repeated value lies at least, as a share of the core, and how many times
	// farther than any two neighbouring values of the core are from each other: photons that were counted have gaps,
	// too.
	apart, gaps = 0.125, 4.0
	// repeats is how often a value occurs at least, of some tens of thousands of samples.
	repeats = 4
	// wild is how many times the core a sample lies outside of it to be left out wherever it is.
	wild = 1000
	// looked is the number of samples from which the core is told.
	looked = 1 << 16
)

// Find marks the samples of a plane that carry no picture, besides those that are known: values that lie apart from the
// rest and are repeated, and single samples far outside. It returns nil if there are none. Samples that are no finite
// numbers are not found.
func Find(plane []float32, width int, known *Mask, workers int) *Mask {
	f := finder{plane: plane, width: width, known: known, workers: workers}
	sorted := some(plane, known)
	for {
		rest, v, ok := peel(sorted)
		if !ok {
			break
		}
		f.found = f.found.Union(Equal(plane, v))
		sorted = rest
	}
	if len(sorted) > 0 {
		f.findOutside(coreOf(sorted))
	}
	return f.found
}

// finder is a plane and what was found in it.
type finder struct {
	plane        []float32
	width        int
	known, found *Mask
	workers      int
}

// has reports whether a sample carries no picture, as far as is known.
func (f *finder) has(i int) bool { return f.known.Has(i) || f.found.Has(i) }

// some returns samples from all over a plane that are not known to carry no picture, sorted.
func some(plane []float32, known *Mask) []float32 {
	stride := len(plane)/looked | 1 // odd, so that it does not fall in with the width of the plane
	sorted := make([]float32, 0, len(plane)/stride+1)
	for i := 0; i < len(plane); i += stride {
		if !known.Has(i) {
			sorted = append(sorted, plane[i])
		}
	}
	radix.Sort(sorted)
	return sorted
}

// peel takes the least or the largest of sorted samples away if it is a value that lies apart and is repeated.
func peel(sorted []float32) (rest []float32, value float32, ok bool) {
	n := len(sorted)
	if n == 0 {
		return nil, 0, false
	}
	low, high := 1, 1
	for low < n && sorted[low] == sorted[0] {
		low++
	}
	for high < n && sorted[n-1-high] == sorted[n-1] {
		high++
	}
	if low == n {
		return nil, 0, false
	}
	if rest = sorted[low:]; low >= repeats && isApart(float64(rest[0])-float64(sorted[0]), rest) {
		return rest, sorted[0], true
	}
	if rest = sorted[:n-high]; high >= repeats && isApart(float64(sorted[n-1])-float64(rest[len(rest)-1]), rest) {
		return rest, sorted[n-1], true
	}
	return nil, 0, false
}

// isApart reports whether a gap is much larger than those between the sorted samples beyond it.
func isApart(gap float64, rest []float32) bool {
	c := coreOf(rest)
	span := c.high - c.low
	return span > 0 && gap <= math.MaxFloat64 && gap >= apart*span && gap >= gaps*c.gap
}

// core is the range of most samples of a picture, and the largest gap between two of them.
type core struct{ low, high, gap float64 }

// coreOf returns the core of sorted samples, of which there is at least one.
func coreOf(sorted []float32) core {
	from := int(math.Ceil(tail * float64(len(sorted)-1)))
	to := len(sorted) - 1 - from
	if from > to {
		from, to = 0, len(sorted)-1
	}
	c := core{low: float64(sorted[from]), high: float64(sorted[to])}
	for i := from; i < to; i++ {
		c.gap = max(c.gap, float64(sorted[i+1])-float64(sorted[i]))
	}
	return c
}
