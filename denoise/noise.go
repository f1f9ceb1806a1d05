package denoise

import "slices"

// Noise is a kind of noise.
type Noise int

const (
	// Auto means that the program finds the kind in the image.
	Auto Noise = iota
	// Gaussian noise is white and equally strong everywhere.
	Gaussian
	// Camera noise is spatially correlated, as after demosaicing, scaling and compression: its fine part is weak or
	// missing. Film grain and scans have such noise, too.
	Camera
	// Poisson noise comes from counting photons and reading the counts (see PhotonNoise).
	Poisson
	// None means that there is no noise: the image is returned as it is.
	None
	// Curve is noise whose strength depends on the brightness. Results and profiles have it; Options.Noise never has.
	Curve
)

var noiseNames = []string{"auto", "gaussian", "camera", "poisson", "none", "curve"}

// String returns "auto", "gaussian", "camera", "poisson", "none" or "curve".
func (n Noise) String() string { return nameOf(noiseNames, int(n)) }

// MarshalText returns the name of the noise.
func (n Noise) MarshalText() ([]byte, error) { return textOf(noiseNames, int(n)) }

// UnmarshalText sets the noise by its name.
func (n *Noise) UnmarshalText(text []byte) error {
	i := slices.Index(noiseNames, string(text))
	if i < 0 {
		return badArgument("must be auto, gaussian, camera, poisson or none")
	}
	*n = Noise(i)
	return nil
}

// minSigma is the noise, in gray levels of an image of usual range, below which an image counts as clean. An 8-bit file
// cannot show less than its rounding, whose standard deviation is 0.29.
const minSigma = 0.05
