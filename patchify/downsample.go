package patchify

// Downsample2 returns a plane of half the size, rounded up. Each sample is the mean of 2 x 2 samples; the last row or
// column of an odd size counts twice.
func Downsample2(p Plane) Plane {
	out := NewPlane((p.Width+1)/2, (p.Height+1)/2)
	for y := range out.Height {
		above, below, dst := p.Row(2*y), p.Row(min(2*y+1, p.Height-1)), out.Row(y)
		pairs := p.Width / 2
		for x := range dst[:pairs] { // few operations: this runs on every sample
			a, b := above[2*x:][:2], below[2*x:][:2]
			dst[x] = ((a[0] + a[1]) + (b[0] + b[1])) / 4
		}
		if last := 2 * pairs; last < p.Width {
			dst[pairs] = ((above[last] + above[last]) + (below[last] + below[last])) / 4
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
		for i, v := range between {
			before, after := between[max(i-1, 0)], between[min(i+1, len(between)-1)]
			row[2*i] = src[2*i] + (0.75*v + 0.25*before)
			if x := 2*i + 1; x < len(row) {
				row[x] = src[x] + (0.75*v + 0.25*after)
			}
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
