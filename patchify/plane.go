// Package patchify cuts an image plane into overlapping square patches and puts patches back together.
//
// In the words of the paper, Extract is P_j y for patch j and Aggregate is the pixel-wise average of the P_j' x_j:
// a numerator sum_j P_j' (w_j x_j) over a denominator sum_j P_j' w_j.
package patchify

// Plane is one channel of an image: Height rows of Width samples, row-major. The unit of the samples is the caller's.
type Plane struct {
	Width, Height int
	Pix           []float32
}

// NewPlane returns a plane of zeros.
func NewPlane(width, height int) Plane {
	return Plane{width, height, make([]float32, width*height)}
}

// Row returns row y without copying it.
func (p Plane) Row(y int) []float32 { return p.Pix[y*p.Width : (y+1)*p.Width] }

// Pad returns p extended on the right and at the bottom, by reflection at the last sample, to at least size x size.
// A plane that is large enough is returned as it is, sharing its samples.
func Pad(p Plane, size int) Plane {
	if p.Width >= size && p.Height >= size {
		return p
	}
	out := NewPlane(max(p.Width, size), max(p.Height, size))
	for y := range out.Height {
		src, dst := p.Row(reflect(y, p.Height)), out.Row(y)
		for x := range dst {
			dst[x] = src[reflect(x, p.Width)]
		}
	}
	return out
}

// reflect maps i >= 0 into [0, n) as 0 1 .. n-1 n-2 .. 1 0 1 ..
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

// Crop returns the part of p that starts at (x, y): a copy, unless it is all of p.
func Crop(p Plane, x, y, width, height int) Plane {
	if x == 0 && y == 0 && width == p.Width && height == p.Height {
		return p
	}
	out := NewPlane(width, height)
	for r := range height {
		copy(out.Row(r), p.Row(y + r)[x:x+width])
	}
	return out
}
