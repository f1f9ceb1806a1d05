package mask

import (
	"context"
	"slices"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

const (
	// reach is how far around a sample its neighbours are.
	reach = 2
	// minNeighbours is how many of them say something about the place.
	minNeighbours = 8
	// hot is how many times farther from its neighbours a hot pixel is than they are from each other. The point spread
	// of a lens leaves more than a ninth of a star or a glint to the samples beside it, so it is none.
	hot = 8
)

// findOutside finds the samples that are farther outside of the core than it is wide, if they are unlike all samples
// around them, and those that are wild.
func (f *finder) findOutside(c core) {
	span := c.high - c.low
	if !(span > 0) {
		return
	}
	var (
		mu      sync.Mutex
		outside *Mask // apart from what was found before, or the result would depend on the order
	)
	_ = parallel.Bands(context.Background(), f.workers, 1, len(f.plane), func(from, to int) { // too short to stop
		found := f.outsideIn(c, from, to)
		mu.Lock()
		defer mu.Unlock()
		for _, i := range found {
			outside = outside.mark(i, len(f.plane))
		}
	})
	f.found = f.found.Union(outside)
}

// outsideIn returns the samples that findOutside finds in a part of the plane.
func (f *finder) outsideIn(c core, from, to int) (outside []int) {
	span := c.high - c.low
	low, high := c.low-span, c.high+span
	for i, v := range f.plane[from:to] {
		i += from
		if v := float64(v); v >= low && v <= high || v-v != 0 || f.has(i) {
			continue
		}
		if v := float64(v); v < c.low-wild*span || v > c.high+wild*span || f.isUnlike(i, hot, 0) {
			outside = append(outside, i)
		}
	}
	return outside
}

// isUnlike reports whether a sample is so many times farther from the samples around it than they are from each other,
// or than a step. An eighth of those at both ends, and samples of the same value, may be no picture either.
func (f *finder) isUnlike(at int, times, step float64) bool {
	var memory [(2*reach + 1) * (2*reach + 1)]float32
	near := memory[:0]
	x, y, height := at%f.width, at/f.width, len(f.plane)/f.width
	for row := max(y-reach, 0); row <= min(y+reach, height-1); row++ {
		for column := max(x-reach, 0); column <= min(x+reach, f.width-1); column++ {
			if i := row*f.width + column; f.plane[i] != f.plane[at] && !f.has(i) {
				near = append(near, f.plane[i])
			}
		}
	}
	if len(near) < minNeighbours {
		return false
	}
	slices.Sort(near)
	cut := len(near) / 8
	low, high := float64(near[cut]), float64(near[len(near)-1-cut])
	v := float64(f.plane[at])
	return max(v-high, low-v) > times*max(high-low, step)
}

// Single returns a mask of those marked samples that are alone, with at most a quarter of the samples around each
// marked, and for which the condition holds.
func (m *Mask) Single(width, height int, holds func(i int) bool) *Mask {
	var single *Mask
	for i := range m.All() {
		if holds(i) && m.isAlone(i, width, height) {
			single = single.mark(i, width*height)
		}
	}
	return single
}

func (m *Mask) isAlone(i, width, height int) bool {
	x, y, near, marked := i%width, i/width, -1, -1 // without the sample itself
	for row := max(y-reach, 0); row <= min(y+reach, height-1); row++ {
		for column := max(x-reach, 0); column <= min(x+reach, width-1); column++ {
			near++
			if m.Has(row*width + column) {
				marked++
			}
		}
	}
	return 4*marked <= near
}
