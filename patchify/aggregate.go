package patchify

import (
	"context"

	"github.com/blorc-denoise/blorc-denoise/internal/parallel"
)

// Accumulator sums weighted patches over a run of rows of a plane.
type Accumulator struct {
	top         int
	numerator   Plane
	denominator Plane
}

// NewAccumulator covers the rows [top, top+height) of a plane of the given width.
func NewAccumulator(width, top, height int) *Accumulator {
	return &Accumulator{top, NewPlane(width, height), NewPlane(width, height)}
}

// Add adds a patch of size x size samples with its corner at (x, y) of the plane, with one weight for all its samples.
func (a *Accumulator) Add(patch []float32, x, y, size int, weight float32) {
	for r := range size {
		at := (y-a.top+r)*a.numerator.Width + x
		num, den := a.numerator.Pix[at:at+size], a.denominator.Pix[at:at+size]
		for c, v := range patch[r*size : (r+1)*size] {
			num[c] += weight * v
			den[c] += weight
		}
	}
}

// merge adds the sums of b, which must lie within the rows of a.
func (a *Accumulator) merge(b *Accumulator) {
	at := (b.top - a.top) * a.numerator.Width
	addTo(a.numerator.Pix[at:], b.numerator.Pix)
	addTo(a.denominator.Pix[at:], b.denominator.Pix)
}

func addTo(dst, src []float32) {
	for i, v := range src {
		dst[i] += v
	}
}

// Plane divides numerator by denominator. A sample that no patch covered becomes 0.
func (a *Accumulator) Plane() Plane {
	out := NewPlane(a.numerator.Width, a.numerator.Height)
	for i, d := range a.denominator.Pix {
		if d > 0 {
			out.Pix[i] = a.numerator.Pix[i] / d
		}
	}
	return out
}

// bandRows is the number of grid rows that one worker takes at a time. It is fixed, because sums of float32 depend on
// how they are grouped, and the result must not depend on the number of workers.
const bandRows = 16

// Aggregate makes a plane of width x height from the patches of the grid. For each band of grid rows it calls work,
// which must add every patch of the band to acc; bands run on several workers (worker indexes scratch memory, see
// Workers), and their sums are put together in the order of the bands.
func Aggregate(ctx context.Context, g Grid, width, height, workers int,
	work func(worker int, band Band, acc *Accumulator)) (Plane, error) {
	bands := g.Bands(bandRows)
	total := NewAccumulator(width, 0, height)
	merger := parallel.NewInOrder(total.merge)
	err := parallel.For(ctx, workers, len(bands), func(worker, i int) {
		acc := NewAccumulator(width, bands[i].Top, bands[i].Height)
		work(worker, bands[i], acc)
		merger.Put(i, acc)
	})
	if err != nil {
		return Plane{}, err
	}
	return total.Plane(), nil
}
