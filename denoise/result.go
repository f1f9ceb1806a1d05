package denoise

import (
	"fmt"
	"math"
	"strconv"

	"github.com/blorc-denoise/blorc-denoise/imageio"
)

// Result describes the noise, and what was done about it.
type Result struct {
	Noise Noise   // kind of the noise, never Auto
	Sigma float64 // noise level that the models assumed, in gray levels of 0-255; 0 for Poisson noise, Curve and None
	// SigmaChroma is the level of the colours, if it differs. Then Sigma is the level of the brightness.
	SigmaChroma float64
	Photons     PhotonNoise // Poisson noise, in the unit of Options.Photons
	// Channels is Poisson noise of red, green and blue where it differs between them; else it is zero.
	Channels [3]PhotonNoise
	// Range is the least and the largest standard deviation of noise of the kind Curve, in the unit of Options.Photons.
	// For the kind Camera, it counts the fine part of the noise alone. It is zero if the measurement knows that part at
	// too few brightnesses.
	Range [2]float64
	// Places is the least and the largest strength of the noise over the image, divided by the mean. It is zero if the
	// noise is equally strong everywhere.
	Places [2]float64
	// Scale is the factor by which the picture was reduced before denoising, because it seems to be upsampled. 0 means
	// that it was not reduced.
	Scale     int
	Estimated bool // the noise was found in the image, not given
	// name of the detector that found the noise, such as "photons", "white" or "correlated" (docs/noise.md lists them);
	// "" if the noise was given
	Rule string
	// name and sigma of the model for the gray plane or the luma, "unet", or both, such as "unet + nonlocal 25.5"; ""
	// if there was nothing to do
	Model    string
	Shots    int      // how many shots became one picture, if there were several; see Burst
	Hot      int      // number of single samples far outside of the picture that were removed; see Options.RemoveHot
	Masked   int      // samples without image content, which keep their values: missing, flat, hot or lost ones
	Margin   Margin   // what parts of the picture need around them
	Full     float64  // largest sample of the type that the image or the file has; 0 if that is not known
	Warnings []string // what is wrong with a file that could be read nevertheless, and what was not done as given

	// For files only.
	Format imageio.Format // of the file that was read; 0 if it could not be read
	Pages  int            // pages of the file; 0 if it could not be read
	Each   []Result       // of each page, if the file has several
	// the pages show one scene over time, and Options.Together, which was not set, would remove more of the noise
	OneScene   bool
	Copied     int    // pages that were copied because they cannot be denoised; see FileOptions.CopyUnsupported
	CopyReason string // why the first of them was copied

	profile *Profile // of noise of the kind Curve
}

// Margin says how much around a part of a picture must be given with it, so that the part is denoised as it is within
// the whole, with the same noise and options. What Options.KeepMean turns off is measured in the whole picture. Where
// the noise is white, samples may differ a little: the network rounds those of other parts in another way.
type Margin struct {
	Samples int `json:"samples"` // around the part
	// the part, and what is given around it, begin at multiples of this in the whole picture
	Multiple int `json:"multiple"`
}

// String describes the noise, such as "white noise, sigma 12.3" or "photon noise, gain 2.1, offset 100, read noise
// 3.4".
func (r Result) String() string {
	text := r.noise()
	if r.Places[1] > 0 {
		text += fmt.Sprintf(", %.2g to %.2g times that by place", r.Places[0], r.Places[1])
	}
	switch {
	case r.Scale == 2:
		text += ", at half the size"
	case r.Scale > 2:
		text += fmt.Sprintf(", at 1/%d of the size", r.Scale)
	}
	return text
}

func (r Result) noise() string {
	switch r.Noise {
	case None:
		return "no noise"
	case Poisson:
		text := func(of func(PhotonNoise) float64) string {
			if r.Channels == [3]PhotonNoise{} {
				return short(of(r.Photons))
			}
			if of(r.Channels[0]) == of(r.Channels[1]) && of(r.Channels[2]) == of(r.Channels[1]) {
				return short(of(r.Photons))
			}
			return short(of(r.Channels[0])) + "/" + short(of(r.Channels[1])) + "/" + short(of(r.Channels[2]))
		}
		return "photon noise, gain " + text(func(n PhotonNoise) float64 { return n.Gain }) +
			", offset " + text(func(n PhotonNoise) float64 { return n.Offset }) +
			", read noise " + text(func(n PhotonNoise) float64 { return n.ReadNoise })
	case Curve:
		return "noise of a curve, sigma " + short(r.Range[0]) + " to " + short(r.Range[1])
	case Camera:
		if r.Sigma < minSigma {
			return fmt.Sprintf("camera noise, level %.2g", r.Sigma)
		}
		return fmt.Sprintf("camera noise, level %.1f", r.Sigma) + r.inColours()
	}
	text := fmt.Sprintf("white noise, sigma %.1f", r.Sigma)
	switch {
	case r.Sigma == 0:
		return "no noise"
	case r.Sigma < minSigma: // of samples that take a small part of the range of their type
		text = fmt.Sprintf("white noise, sigma %.2g", r.Sigma)
	default:
		text += r.inColours()
	}
	if s := r.fileSigma(); s > 0 {
		text += " (" + short(s) + " in the file)"
	}
	return text
}

// inColours describes the level of the colours if it differs.
func (r Result) inColours() string {
	if r.SigmaChroma == 0 {
		return ""
	}
	return fmt.Sprintf(", in the colours %.1f", r.SigmaChroma)
}

// inFile returns the result in the unit of a file, whose largest sample is full.
func (r Result) inFile(full float64) Result {
	r.Full = full
	r.Photons = r.Photons.over(1 / full)
	for i, n := range r.Channels {
		r.Channels[i] = n.over(1 / full)
	}
	for i := range r.Range {
		r.Range[i] *= full
	}
	return r
}

// fileSigma returns the level of white noise in the unit of the file. It is 0 for other noise, and where that unit is
// the one of Sigma.
func (r Result) fileSigma() float64 {
	if r.Noise != Gaussian || r.Full == 255 {
		return 0
	}
	return r.Sigma * r.Full / 255
}

// short writes a number with three digits that count, with an exponent if it is very small or large.
func short(v float64) string {
	const least, most = 1e-6, 1e9
	if a := math.Abs(v); a < least || a >= most || !isFinite(v) {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	decimals := min(max(2-int(math.Floor(math.Log10(math.Abs(v)))), 0), 9)
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return text
}
