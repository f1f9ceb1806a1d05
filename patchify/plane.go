// Package patchify cuts an image plane into overlapping square patches and puts patches back together. It also finds
// groups of similar patches.
//
// In the notation of the paper, ExtractLane is P_j y for patch j, and Average is the pixel-wise average of the P_j'
// x_j.
//
// Functions that return an error check all their arguments, and the error is an ErrArgument. The other functions do
// not, because they run for every patch: they need planes for which Validate returns nil, and patches that lie inside
// the plane.
package patchify

import (
	"fmt"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/hugepage"
)

// Plane is one channel of an image: Height rows of Width samples, row-major. The caller chooses the unit of the
// samples.
type Plane struct {
	Width, Height int
	Pix           []float32
}

// NewPlane returns a plane of zeros. Like the constructors of package image, it panics if a size is negative or the
// plane is too large for memory.
func NewPlane(width, height int) Plane {
	if width < 0 || height < 0 || width > 0 && height > math.MaxInt/width {
		panic(fmt.Sprintf("patchify: a new plane of %d x %d samples", width, height))
	}
	return Plane{width, height, hugepage.Make[float32](width * height)}
}

// Validate returns an error unless p has at least one sample and exactly Width*Height of them.
func (p Plane) Validate() error {
	if p.Width < 1 || p.Height < 1 {
		return badArgument("plane of %d x %d samples", p.Width, p.Height)
	}
	if p.Height > math.MaxInt/p.Width || len(p.Pix) != p.Width*p.Height {
		return badArgument("%d samples for a plane of %d x %d", len(p.Pix), p.Width, p.Height)
	}
	return nil
}

// Row returns row y without copying it.
func (p Plane) Row(y int) []float32 { return p.Pix[y*p.Width : (y+1)*p.Width] }

// Pad returns p extended on the right and at the bottom, by reflection at the last sample, to at least size x size
// samples. A plane that is large enough is returned unchanged and shares its samples. A plane without samples is
// extended by zeros.
func Pad(p Plane, size int) Plane {
	if p.Width >= size && p.Height >= size {
		return p
	}
	out := NewPlane(max(p.Width, size), max(p.Height, size))
	if p.Width < 1 || p.Height < 1 {
		return out
	}
	for y := range out.Height {
		src, dst := p.Row(reflect(y, p.Height)), out.Row(y)
		for x := range dst {
			dst[x] = src[reflect(x, p.Width)]
		}
	}
	return out
}

// reflect maps i >= 0 to 0 1 .. n-1 n-2 .. 1 0 1 ..
func reflect(i, n int) int {
	if n == 1 {
		return 0
	}
	i %= 2 * (n - 1)
	if i >= n {
		i = 2*(n-1) - i
	}
	return i
}

// Crop returns the part of p with the top-left corner (x, y) and the given size, without what lies outside p. It is a
// copy, unless it is all of p.
func Crop(p Plane, x, y, width, height int) Plane {
	x, width = clip(x, width, p.Width)
	y, height = clip(y, height, p.Height)
	if width == p.Width && height == p.Height {
		return p
	}
	out := NewPlane(width, height)
	for r := range height {
		copy(out.Row(r), p.Row(y + r)[x:x+width])
	}
	return out
}

// clip returns the start and the length of the part of [start, start+length) that lies in [0, limit).
func clip(start, length, limit int) (int, int) {
	if length < 1 {
		return min(max(start, 0), limit), 0
	}
	if start < 0 {
		start, length = 0, length+start
	}
	start = min(start, limit)
	return start, max(min(length, limit-start), 0)
}
