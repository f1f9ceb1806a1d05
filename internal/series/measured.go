// Package series says on which images of a series its noise is measured, and how bright one is beside another.
package series

const (
	maxMeasured = 8       // images
	maxSamples  = 1 << 26 // of all of them
)

// Measured returns which of n images of a series the noise is measured on, if each has so many samples.
func Measured(n, samples int) (some []int) {
	count := min(n, maxMeasured, max(1, maxSamples/max(1, samples)))
	for i := range count {
		some = append(some, (2*i+1)*n/(2*count))
	}
	return some
}
