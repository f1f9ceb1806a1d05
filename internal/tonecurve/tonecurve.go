// Package tonecurve undoes what noise does to the mean of samples that a tone curve or the ends of a file's range have
// bent.
//
// A camera adds noise to the light x and shows it as v = x^(1/g), clipped to 0 and 1. The curve is concave, so the mean
// of noisy samples lies below the sample of the mean light: to second order by (g-1)/2 d^2/v for samples of standard
// deviation d. Clipping at black raises the mean, and clipping at white lowers it. A denoiser returns means, so its
// result is too dark, black is too light, and white too dark.
package tonecurve

import "math"

// Curve says how samples follow from light. The zero Curve says that nothing is known.
type Curve struct {
	bend float64 // (g-1)/2
	// Black is the ratio of the standard deviation to the mean of samples whose true value is 0, and fall says how
	// suddenly darker samples come near it (see kept).
	black, fall float64
}

var (
	// Linear is the curve of samples that are in proportion to what has the noise. They are only clipped.
	Linear = Curve{black: halfClipped, fall: 4}
	// Display is the curve of photographs for displays, g = 2.2. Clipped Gaussian light has the ratio 1.15 in black,
	// noise of displayed samples 1.46. Cameras smooth the noise before and after the curve, so theirs lies between. The
	// fall is the fastest that leaves black of either kind at most as wrong as it was.
	Display = Curve{bend: 0.6, black: 1.3, fall: 6}
)

// Known reports whether c is one of the curves.
func (c Curve) Known() bool { return c.black > 0 }

const (
	// fewPhotons is how fast strong noise leaves the second order behind. Counted photons would have 0.27; light that
	// may be negative has more.
	fewPhotons = 0.4
	// maxDeviation is the largest standard deviation that samples of 0 to 1 can have.
	maxDeviation = 0.5
)

// halfClipped is the ratio of the standard deviation to the mean of a Gaussian whose negative half counts as 0.
var halfClipped = math.Sqrt(math.Pi - 1)

// Undo returns the sample that there would be without noise, given the mean and the standard deviation of the noisy
// samples. Full scale is 1. It is the mean if the deviation is 0. It lies between 0 and 1 if the mean does, and rises
// with the mean. A mean outside of that range, and one with a deviation that is not positive, stays as it is.
func (c Curve) Undo(mean, deviation float64) float64 {
	if !c.Known() || !(deviation > 0) || !(mean >= 0 && mean <= 1) {
		return mean
	}
	d := min(deviation, maxDeviation)
	dark, light := d/mean, d/(1-mean) // may be infinite
	v := 0.0
	if dark < c.black {
		v = mean * c.brighter(dark) * c.kept(dark)
	}
	return min(v+(1-mean)*(1-Linear.kept(light)), 1) // near white, curves are straight
}

// brighter returns by how many times the curve has lowered the mean, given the ratio of the standard deviation to it.
func (c Curve) brighter(ratio float64) float64 {
	return 1 + c.bend*ratio*ratio/(1+fewPhotons*ratio*ratio)
}

// kept returns how many times the distance from an end of the range is what its mean is after clipping: 1 far from the
// end, 0 at the end. A power of 4 is that of Gaussian noise, to 0.02.
func (c Curve) kept(ratio float64) float64 {
	return 1 - math.Pow(min(ratio/c.black, 1), c.fall)
}
