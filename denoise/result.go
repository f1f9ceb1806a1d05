package denoise

import (
	"fmt"
	"math"
	"strconv"
)

// Result says what was found and done.
type Result struct {
	Noise     Noise       // kind of the noise, never Auto
	Sigma     float64     // level in grey levels of 0-255 that the models were told; 0 for Poisson noise and None
	Photons   PhotonNoise // Poisson noise, in the unit of Options.Photons
	Estimated bool        // the noise was found in the image, not given
	Model     string      // name and sigma of the model for the gray plane or the luma; "" if there was nothing to do
	Warnings  []string    // what is wrong with a file that could be read nevertheless

	// For files only.
	Pages  int    // pages of the file; 0 if it could not be read
	Copied int    // pages that were copied because they cannot be denoised; see FileOptions.CopyUnsupported
	Why    string // why the first of them was copied
}

// String describes the noise, such as "white noise, sigma 12.3" or "photon noise, gain 2.1, offset 100, read noise 3.4".
func (r Result) String() string {
	switch r.Noise {
	case None:
		return "no noise"
	case Poisson:
		return "photon noise, gain " + short(r.Photons.Gain) + ", offset " + short(r.Photons.Offset) + ", read noise " + short(r.Photons.ReadNoise)
	case Camera:
		return fmt.Sprintf("camera noise, level %.1f", r.Sigma)
	}
	switch {
	case r.Sigma < minSigma && r.Model == "":
		return "no noise"
	case r.Sigma < minSigma: // of samples that take a small part of the range of their type
		return fmt.Sprintf("white noise, sigma %.2g", r.Sigma)
	}
	return fmt.Sprintf("white noise, sigma %.1f", r.Sigma)
}

// short writes a number with three digits that count, and without an exponent.
func short(v float64) string {
	if v == 0 || !isFinite(v) {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	decimals := min(max(2-int(math.Floor(math.Log10(math.Abs(v)))), 0), 9)
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return text
}
