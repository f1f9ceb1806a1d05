package denoise

import "math"

// tallPedestal is how many times its range an image may lie away from 0. Beyond that, float32 has too few digits for
// sums of samples.
const tallPedestal = 64

// pedestal returns the number that is subtracted from all samples while they are denoised. For most images it is 0. If
// all samples are far from 0, it is the low end of their range. Some files have 2^31 for no light, for example.
func (img image) pedestal() float32 {
	if !img.mayBeTall() {
		return 0
	}
	span, low := dynamicRange(img.planes)
	if span == 0 || math.Abs(low) <= tallPedestal*span {
		return 0
	}
	return float32(low)
}

// mayBeTall reports whether most samples are near to each other for their distance from 0. It takes less memory than
// the range of the samples.
func (img image) mayBeTall() bool {
	p := img.planes[0]
	middle, near, n := float64(p[len(p)/2]), 0, 0
	for i := 0; i < len(p); i += len(p)/1024 + 1 {
		n++
		if math.Abs(float64(p[i])-middle)*tallPedestal <= 2*math.Abs(middle) {
			near++
		}
	}
	return 2*near > n
}

// lift adds a number to all samples.
func lift(planes [][]float32, by float32) {
	if by == 0 {
		return
	}
	for _, p := range planes {
		for i := range p {
			p[i] += by
		}
	}
}
