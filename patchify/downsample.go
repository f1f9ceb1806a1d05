package patchify

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Downsample2 returns a plane of half the size, rounded up. Each sample is the mean of 2 x 2 samples; the last row or
// column of an odd size counts twice. With workers < 1 there is one for each processor; the result does not depend on
// their number.
func Downsample2(p Plane, workers int) Plane {
	out := NewPlane((p.Width+1)/2, (p.Height+1)/2)
	Downsample2Into(out, p, workers)
	return out
}

// Downsample2Into sets dst, which has the size of the result, to Downsample2 of p.
func Downsample2Into(dst, p Plane, workers int) {
	rows(dst, workers, func(from, to int) { dst.downsample2(p, from, to) })
}

// rows calls work for runs of rows of a plane.
func rows(p Plane, workers int, work func(from, to int)) {
	_ = parallel.Bands(context.Background(), workers, p.Width, p.Height, work) // too short to stop
}

// downsample2 sets the rows from to to-1 to those of p at half its size.
func (half Plane) downsample2(p Plane, from, to int) {
	for y := from; y < to; y++ {
		above, below, dst := p.Row(2*y), p.Row(min(2*y+1, p.Height-1)), half.Row(y)
		pairs := p.Width / 2
		for x := range dst[:pairs] { // few operations: this runs on every sample
			a, b := above[2*x:][:2], below[2*x:][:2]
			dst[x] = ((a[0] + a[1]) + (b[0] + b[1])) / 4
		}
		if last := 2 * pairs; last < p.Width {
			dst[pairs] = ((above[last] + above[last]) + (below[last] + below[last])) / 4
		}
	}
}

// AddInterpolated sets dst to p plus a linearly interpolated change, which has half the size of p, rounded up. See
// Downsample2 for workers.
func AddInterpolated(dst, p, change Plane, workers int) {
	rows(p, workers, func(from, to int) { addInterpolated(dst, p, change, from, to) })
}

// addInterpolated sets the rows from to to-1 of dst.
func addInterpolated(dst, p, change Plane, from, to int) {
	between := make([]float32, change.Width) // a row of the change, interpolated in y
	for y := from; y < to; y++ {
		near, far := change.Row(y/2), change.Row(neighbour(y, change.Height))
		for x := range between {
			between[x] = 0.75*near[x] + 0.25*far[x]
		}
		src, row := p.Row(y), dst.Row(y)
		before, last := between[0], len(between)-1
		for i, v := range between {
			after := between[min(i+1, last)]
			row[2*i] = src[2*i] + (0.75*v + 0.25*before)
			if x := 2*i + 1; x < len(row) {
				row[x] = src[x] + (0.75*v + 0.25*after)
			}
			before = v
		}
	}
}

// neighbour is the index of the second nearest of n samples at half the size, seen from sample i at full size.
func neighbour(i, n int) int {
	if i%2 == 0 {
		return max(i/2-1, 0)
	}
	return min(i/2+1, n-1)
}
