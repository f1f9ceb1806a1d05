package mosaic

import "math"

const (
	// Gray is the brightness that becomes a middle gray when a mosaic is developed: 0 is black, 1 white.
	Gray = 0.1

	gamma = 2.2  // of developing
	least = 0.75 // gray levels of 255 that are seen; weaker noise of previews was lost among their fine detail
)

// Seen returns the gray levels of noise in developed pictures that has a standard deviation at Gray, in ranges from
// black to white.
func Seen(deviation float64) float64 { return 255 * deviation * math.Pow(Gray, 1/gamma-1) / gamma }

// IsSeen reports whether developed pictures show that noise.
func IsSeen(deviation float64) bool { return Seen(deviation) >= least }
