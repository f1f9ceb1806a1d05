package estimate

import (
	"math"
	"slices"
)

// patch holds the measurements of one patch of one plane.
type patch struct {
	texture float64 // energy of the lower frequencies, without the mean
	fine    float64 // energy of the upper frequencies
	order   int32   // index on the grid; decides between equal patches
	clipped uint8   // number of samples at 0 or 1
	flat    bool    // all samples are equal
}

// finite reports whether all samples are finite. One that is not makes the energy NaN or infinite.
func (p patch) finite() bool { return !math.IsNaN(p.texture) && !math.IsInf(p.texture, 0) }

// usable returns the patches that tell something about the noise. It drops clipped patches, in which noise was cut off,
// and flat ones, such as a border added later. But if more than half of the patches are flat, the image itself has no
// noise, and flat ones are kept. The argument is overwritten.
func usable(patches []patch, side int) []patch {
	patches = minClipped(patches, side)
	isFlat := func(p patch) bool { return p.flat }
	if 2*count(patches, isFlat) > len(patches) {
		return patches
	}
	return slices.DeleteFunc(patches, isFlat)
}

// minClipped returns the patches with few clipped samples. Under strong noise every patch may have some, so the limit
// rises until at least a fifth of the patches is kept. The argument is overwritten.
func minClipped(patches []patch, side int) []patch {
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
