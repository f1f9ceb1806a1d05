package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/radix"
)

// maxPhotonNoise bounds gain, offset and read noise. Squares of larger ones may overflow samples of 32 bits. With a
// gain below minGain, the noise level after the transform would become zero.
const maxPhotonNoise, minGain = 1e15, 1e-30

// PhotonNoise is the noise of a detector that counts photons: a sample is Gain times a Poisson variable, plus Offset,
// plus Gaussian noise of standard deviation ReadNoise. All three are in the unit of the samples.
type PhotonNoise struct {
	Gain      float64 `json:"gain"`       // gray levels for each photon
	Offset    float64 `json:"offset"`     // sample without any photon
	ReadNoise float64 `json:"read_noise"` // standard deviation in gray levels
}

func (n PhotonNoise) check() error {
	switch {
	case n.Gain == 0:
		return badArgument("an offset or read noise needs a gain")
	case !(n.Gain > 0) || !isFinite(n.Gain):
		return badArgument("gain %g is not positive", n.Gain)
	case !isFinite(n.Offset):
		return badArgument("offset %g is not a number", n.Offset)
	case !(n.ReadNoise >= 0) || !isFinite(n.ReadNoise):
		return badArgument("read noise %g is negative", n.ReadNoise)
	case n.Gain < minGain:
		return badArgument("gain %g is out of range", n.Gain)
	case max(n.Gain, math.Abs(n.Offset), n.ReadNoise) > maxPhotonNoise:
		return badArgument("gain, offset or read noise is out of range")
	}
	return nil
}

// over returns the noise in units of full scale, which is given in the unit of n.
func (n PhotonNoise) over(full float64) PhotonNoise {
	n.Gain /= full
	n.Offset /= full
	n.ReadNoise /= full
	return n
}

// dynamicRange returns the range of the samples without the lowest and the highest half percent, and its lower end.
func dynamicRange(planes [][]float32) (span, low float64) {
	sample := someSamples(planes)
	if len(sample) == 0 {
		return 0, 0
	}
	trim := len(sample) / 200
	low = float64(sample[trim])
	return float64(sample[len(sample)-1-trim]) - low, low
}

// someSamples returns enough samples of the planes to represent their distribution, sorted. It leaves out NaN and
// infinite ones.
func someSamples(planes [][]float32) []float32 {
	const enough = 1 << 16
	stepOf := func(p []float32) int { return len(p)/enough | 1 } // odd, so that it does not fall in with the width
	n := 0
	for _, p := range planes {
		n += len(p)/stepOf(p) + 1
	}
	sample := make([]float32, 0, n)
	for _, p := range planes {
		for i := 0; i < len(p); i += stepOf(p) {
			if v := p[i]; v-v == 0 {
				sample = append(sample, v)
			}
		}
	}
	radix.Sort(sample)
	return sample
}
