package model

import "github.com/blorc-denoise/blorc-denoise/patchify"

// Halve returns a plane of half the size, rounded up: each sample is the mean of 2 x 2 samples, or of those that there
// are at an odd edge.
func Halve(p patchify.Plane) patchify.Plane {
	out := patchify.NewPlane((p.Width+1)/2, (p.Height+1)/2)
	for y := range out.Height {
		above, below, dst := p.Row(2*y), p.Row(min(2*y+1, p.Height-1)), out.Row(y)
		for x := range dst {
			left, right := 2*x, min(2*x+1, p.Width-1)
			dst[x] = ((above[left] + above[right]) + (below[left] + below[right])) / 4
		}
	}
	return out
}

// TakeOver returns a plane with the change that was made to its half, from half to coarse, interpolated linearly.
func TakeOver(p, half, coarse patchify.Plane) patchify.Plane {
	out := patchify.NewPlane(p.Width, p.Height)
	change := patchify.NewPlane(half.Width, half.Height)
	for i, v := range coarse.Pix {
		change.Pix[i] = v - half.Pix[i]
	}
	addInterpolated(out, p, change)
	return out
}

// addInterpolated sets dst to a plane plus a change of its half, interpolated linearly.
func addInterpolated(dst, p, change patchify.Plane) {
	between := make([]float32, change.Width) // a row of the change at the height of a row of the plane
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

// neighbour is the second nearest of n samples that each stand for two, seen from sample i of those.
func neighbour(i, n int) int {
	if i%2 == 0 {
		return max(i/2-1, 0)
	}
	return min(i/2+1, n-1)
}
