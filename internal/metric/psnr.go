// Package metric compares a restored image with the clean one. Samples are on a
// full scale of 0 to 1. The restored image is clipped to that range, as a file
// would be, but not rounded.
package metric

import "math"

// PSNR returns the peak signal-to-noise ratio in decibels for a peak of 1. It is
// +Inf for equal images. The slices must be of one length, and not empty.
func PSNR(clean, restored []float32) float64 {
	return PSNRPlanes([][]float32{clean}, [][]float32{restored})
}

// PSNRPlanes is PSNR for images of several planes: the mean squared error is
// taken over the samples of all planes together.
func PSNRPlanes(clean, restored [][]float32) float64 {
	mustMatch(len(clean), len(restored))
	sum, count := 0.0, 0
	for i, plane := range clean {
		mustMatch(len(plane), len(restored[i]))
		for j, sample := range plane {
			difference := float64(sample) - clip(restored[i][j])
			sum += difference * difference
		}
		count += len(plane)
	}
	return 10 * math.Log10(float64(count)/sum)
}

func clip(sample float32) float64 {
	return float64(min(1, max(0, sample)))
}

func mustMatch(clean, restored int) {
	if clean != restored || clean == 0 {
		panic("metric: images are empty or differ in shape")
	}
}
