package patchify

// Downsample2 returns a plane of half the size, rounded up. Each sample is the mean of 2 x 2 samples; the last row or
// column of an odd size counts twice.
func Downsample2(p Plane) Plane {
	out := NewPlane((p.Width+1)/2, (p.Height+1)/2)
	for y := range out.Height {
		above, below, dst := p.Row(2*y), p.Row(min(2*y+1, p.Height-1)), out.Row(y)
		for x := range dst {
			left, right := 2*x, min(2*x+1, p.Width-1)
			dst[x] = ((above[left] + above[right]) + (below[left] + below[right])) / 4
		}
	}
	return out
}

// AddInterpolated sets dst to p plus a linearly interpolated change, which has half the size of p, rounded up.
func AddInterpolated(dst, p, change Plane) {
	between := make([]float32, change.Width) // a row of the change, interpolated in y
	for y := range p.Height {
		near, far := change.Row(y/2), change.Row(neighbour(y, change.Height))
		for x := range between {
			between[x] = 0.75*near[x] + 0.25*far[x]
		}
		src, row := p.Row(y), dst.Row(y)
		for x := range row {
			row[x] = src[x] + (0.75*between[x/2] + 0.25*between[neighbour(x, change.Width)])
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
