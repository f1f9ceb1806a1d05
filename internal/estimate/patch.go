package estimate

import (
	"math"
	"slices"
)

// patch is what is known of one place in one plane.
type patch struct {
	texture float64 // energy of the lower frequencies
	fine    float64 // energy of the upper ones
	order   int32   // place on the grid; settles ties
	clipped uint8   // number of samples at 0 or 1
	flat    bool    // all samples are equal
}

// finite says whether all samples are: one that is not reaches all frequencies.
func (p patch) finite() bool { return !math.IsNaN(p.texture) && !math.IsInf(p.texture, 0) }

// usable leaves out the patches that say nothing of the noise: those where clipping cut it off, and those without any,
// like a border that was added later. Where most of what is left is without any, it is the image that has no noise. The
// patches given are overwritten.
func usable(patches []patch, side int) []patch {
	patches = leastClipped(patches, side)
	isFlat := func(p patch) bool { return p.flat }
	if 2*count(patches, isFlat) > len(patches) {
		return patches
	}
	return slices.DeleteFunc(patches, isFlat)
}

// leastClipped keeps the patches with few clipped samples. How few depends on the image: under strong noise there may be
// no patch without, so the limit rises until a fifth of the patches is kept.
func leastClipped(patches []patch, side int) []patch {
	for allowed := 0; allowed < side*side; allowed = 2*allowed + 1 {
		isClipped := func(p patch) bool { return int(p.clipped) > allowed }
		if kept := len(patches) - count(patches, isClipped); kept*5 >= len(patches) {
			return slices.DeleteFunc(patches, isClipped)
		}
	}
	return patches
}

func count(patches []patch, is func(patch) bool) (n int) {
	for _, p := range patches {
		if is(p) {
			n++
		}
	}
	return n
}
