package denoise

import (
	"context"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// PhotonNoise is the noise of a detector that counts photons: a sample is Gain times a Poisson variable, plus Offset, plus
// Gaussian noise of standard deviation ReadNoise. All three are in the unit of the samples.
type PhotonNoise struct {
	Gain      float64 `json:"gain"`       // levels for each photon
	Offset    float64 `json:"offset"`     // level without any photon
	ReadNoise float64 `json:"read_noise"` // standard deviation in levels
}

func (n PhotonNoise) check() error {
	switch {
	case !(n.Gain > 0) || !isFinite(n.Gain):
		return badArgument("gain %g is not positive", n.Gain)
	case !isFinite(n.Offset):
		return badArgument("offset %g is not a number", n.Offset)
	case !(n.ReadNoise >= 0) || !isFinite(n.ReadNoise):
		return badArgument("read noise %g is negative", n.ReadNoise)
	}
	return nil
}

// Over returns the noise in units of full scale, which is given in the unit of n.
func (n PhotonNoise) Over(full float64) PhotonNoise {
	n.Gain /= full
	n.Offset /= full
	n.ReadNoise /= full
	return n
}

// photonNoise is photon noise, given or found.
type photonNoise struct {
	PhotonNoise
	dark      float64 // least mean of a sample: the offset, or a level above it
	estimated bool
	span      float64 // range of the samples of the whole image after the transform; 0 = that of the planes at hand
}

// transformedSpan returns the range of planes after the transform.
func (n photonNoise) transformedSpan(planes [][]float32) float64 {
	t := noisecurve.NewStabilizer(n.Gain, n.Offset, n.ReadNoise, n.dark)
	span, low := dynamicRange(planes)
	return float64(float32(t.Forward(low+span))) - float64(float32(t.Forward(low)))
}

// foundPhotons returns the photon noise that was found in a stretched image.
func foundPhotons(f noisecurve.Fit, s stretched) foundNoise {
	if f.Kind != noisecurve.Photon { // as if there were very many photons
		return newGaussian(f.Sigma*s.unit, s.unit, true)
	}
	p := PhotonNoise{Gain: f.Gain * s.unit, Offset: s.low + f.Offset*s.unit, ReadNoise: f.ReadNoise * s.unit}
	return photonNoise{PhotonNoise: p, dark: s.low + f.Dark*s.unit, estimated: true}
}

func (n photonNoise) result() Result {
	return Result{Noise: Poisson, Photons: n.PhotonNoise, Estimated: n.estimated}
}

// remove makes the noise Gaussian, denoises the image, and undoes the transform. The blend with the input comes last.
func (n photonNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	s := n.stabilize(img.planes, o)
	o.Keep, o.KeepLuma, o.KeepChroma = 0, 0, 0
	name, err := gaussianNoise{sigma: s.scale, unit: 1}.remove(ctx, img, o)
	if err != nil {
		return "", err
	}
	s.restore(img.planes)
	return name, nil
}

// stabilized is an image whose photon noise has become Gaussian noise of one level (see noisecurve.Stabilizer).
type stabilized struct {
	*noisecurve.Stabilizer
	scale float64     // brings the samples to a range of about 1, for which models are chosen; then it is the noise level
	input [][]float32 // for the blend; nil if the input has no share in the result
	o     Options
}

// stabilize replaces the samples of the planes.
func (n photonNoise) stabilize(planes [][]float32, o Options) stabilized {
	s := stabilized{Stabilizer: noisecurve.NewStabilizer(n.Gain, n.Offset, n.ReadNoise, n.dark), o: o}
	if o.strength(0) < 1 || o.strength(1) < 1 {
		for _, p := range planes {
			s.input = append(s.input, slices.Clone(p))
		}
	}
	s.each(planes, func(v float32) float32 { return float32(s.Forward(float64(v))) })
	span := n.span
	if span == 0 {
		span, _ = dynamicRange(planes)
	}
	s.scale = 1 / max(1, span)
	s.each(planes, func(v float32) float32 { return v * float32(s.scale) })
	return s
}

// restore undoes stabilize and blends with the input.
func (s stabilized) restore(planes [][]float32) {
	s.each(planes, func(v float32) float32 { return float32(s.Inverse(float64(v) / s.scale)) })
	if s.input != nil {
		blend(planes, s.input, s.o)
	}
}

func (s stabilized) each(planes [][]float32, f func(float32) float32) {
	for _, p := range planes {
		pieces(s.o.Workers, len(p), func(from, to int) {
			for i, v := range p[from:to] {
				p[from+i] = f(v)
			}
		})
	}
}

// dynamicRange returns the range of the samples without the lowest and the highest half percent, and its lower end.
func dynamicRange(planes [][]float32) (span, low float64) {
	const enough = 1 << 16
	var sample []float32
	for _, p := range planes {
		step := len(p)/enough | 1 // odd, so that it does not fall in with the width of the image
		for i := 0; i < len(p); i += step {
			sample = append(sample, p[i])
		}
	}
	if len(sample) == 0 {
		return 0, 0
	}
	slices.Sort(sample)
	trim := len(sample) / 200
	low = float64(sample[trim])
	return float64(sample[len(sample)-1-trim]) - low, low
}
