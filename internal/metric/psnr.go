// Package metric compares a restored image with the clean one. Samples are on a full scale of 0 to 1. The restored
// image is clipped to that range, as writing it to a file would, but not rounded.
package metric

import "math"

// PSNR returns the peak signal-to-noise ratio in decibels for a peak of 1. It is +Inf for equal images. PSNR panics if
// the slices are empty or differ in length.
func PSNR(clean, restored []float32) float64 {
	return PSNRPlanes([][]float32{clean}, [][]float32{restored})
}

// PSNRPlanes returns the PSNR in decibels of images of several planes. The mean squared error is over the samples of
// all planes together. PSNRPlanes panics if an image is empty or their shapes differ.
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
