// Package words says what noise was found as people say it, and as the flags that give the same again.
package words

import (
	"strconv"

	"github.com/blorc-denoise/blorc-denoise/denoise"
)

// strengths are names of levels below a bound, in gray levels of 0-255. What is above all of them is very strong.
var strengths = []struct {
	below float64
	name  string
}{{1.5, "very weak"}, {6, "weak"}, {20, "medium"}, {45, "strong"}}

func strength(sigma float64) string {
	for _, s := range strengths {
		if sigma < s.below {
			return s.name
		}
	}
	return "very strong"
}

// Of describes the noise of a result, such as "camera noise, medium".
func Of(r denoise.Result) string {
	text := kind(r)
	if r.Places[1] > 0 {
		text += ", not equally strong everywhere"
	}
	if r.Scale > 1 {
		text += ", coarse as in an enlarged picture"
	}
	return text
}

func kind(r denoise.Result) string {
	switch r.Noise {
	case denoise.None:
		return "no noise"
	case denoise.Poisson:
		return "photon noise"
	case denoise.Curve:
		return "noise that depends on the brightness"
	case denoise.Camera:
		return "camera noise" + level(r)
	}
	if r.Sigma == 0 {
		return "no noise"
	}
	return "white noise" + level(r)
}

// minInFile is the level of white noise below which no word is said of samples that may take a small part of the range
// of their type.
const minInFile = 1

// level adds how strong the noise is, and how strong it is in the colours if that is another word.
func level(r denoise.Result) string {
	if FileSigma(r) > 0 && r.Sigma < minInFile {
		return ""
	}
	text := ", " + strength(r.Sigma)
	if colours := strength(r.SigmaChroma); r.SigmaChroma > 0 && colours != strength(r.Sigma) {
		text += ", in the colours " + colours
	}
	return text
}

// FileSigma returns the level of white noise in the unit of the file. It is 0 for other noise, and where that unit is a
// gray level of 0 to 255.
func FileSigma(r denoise.Result) float64 {
	if r.Noise != denoise.Gaussian || r.Full == 255 || r.Full == 0 {
		return 0
	}
	sigma, _ := r.At(0)
	return sigma
}

// Flag is the name of a flag, without dashes, and its value.
type Flag struct{ Name, Value string }

// Flags returns the flags that tell the program the noise of a result, or nil if no flags can.
func Flags(r denoise.Result) []Flag {
	switch {
	case r.Noise == denoise.Curve:
		return nil
	case r.Noise == denoise.Poisson:
		flags := []Flag{{"noise", "poisson"}, {"gain", short(r.Photons.Gain)}}
		if r.Photons.Offset != 0 {
			flags = append(flags, Flag{"offset", short(r.Photons.Offset)})
		}
		if r.Photons.ReadNoise != 0 {
			flags = append(flags, Flag{"read-noise", short(r.Photons.ReadNoise)})
		}
		return flags
	case r.Noise == denoise.Camera:
		return []Flag{{"noise", "camera"}, {"sigma", short(r.Sigma)}}
	case r.Noise == denoise.None, r.Sigma == 0:
		return []Flag{{"noise", "none"}}
	}
	return []Flag{{"sigma", short(r.Sigma)}}
}

// Whole says whether the flags tell all that was found: one level for all colours, brightnesses and places.
func Whole(r denoise.Result) bool {
	return r.SigmaChroma == 0 && r.Channels == [3]denoise.PhotonNoise{} && r.Range == [2]float64{} &&
		r.Places[1] == 0 && r.Scale < 2
}

// short writes a number with three digits that count, and without an exponent.
func short(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
