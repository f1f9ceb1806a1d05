package denoise

import (
	"context"
	"math"
	"slices"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// evenedNoise is noise whose strength depends on the brightness. It is made even before the models see it.
type evenedNoise struct {
	channels  []*noisecurve.Stabilizer // one for all planes, or one for each of red, green and blue
	level     float64                  // that models are told, in standard deviations of the noise
	photons   [3]PhotonNoise           // of each channel, for photon noise
	profile   *Profile                 // where the noise comes from; nil if it was found or given by numbers
	estimated bool
}

func (n evenedNoise) result() Result {
	r := Result{Noise: Poisson, Photons: n.photons[1], Estimated: n.estimated}
	if n.photons[0] != n.photons[1] || n.photons[2] != n.photons[1] {
		r.Channels = n.photons
	}
	if n.profile == nil || n.profile.Kind == Poisson {
		return r
	}
	r.Noise = n.profile.Kind
	least, most, mean := n.profile.sigmas()
	if r.Noise == Curve {
		r.Range = [2]float64{least, most}
	} else {
		r.Sigma = 255 * mean
	}
	return r
}

// remove makes the noise even, denoises the image, and undoes the transform. The blend with the input comes last.
func (n evenedNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	s := n.stabilize(img.planes, o)
	o.Keep, o.KeepLuma, o.KeepChroma = 0, 0, 0
	name, err := gaussianNoise{sigma: s.scale * n.level, unit: 1}.remove(ctx, img, o)
	if err != nil {
		return "", err
	}
	s.restore(img.planes)
	return name, nil
}

// margins: the whole image decides how the noise is made even.
func (n evenedNoise) margins(int, Options) (margins, error) {
	return margins{align: 1, whole: true}, nil
}

// stabilized is an image whose noise has become Gaussian noise of one level (see noisecurve.Stabilizer).
type stabilized struct {
	channels []*noisecurve.Stabilizer
	scale    float64     // brings the samples to a range of about 1, for which models are chosen; then it is the noise level
	input    [][]float32 // for the blend; nil if the input has no share in the result
	gray     reflection  // with three channels: brings the brightness to the direction of gray
	o        Options
}

// stabilize replaces the samples of the planes.
func (n evenedNoise) stabilize(planes [][]float32, o Options) stabilized {
	s := stabilized{channels: n.channels, o: o}
	if o.strength(0) < 1 || o.strength(1) < 1 {
		for _, p := range planes {
			s.input = append(s.input, slices.Clone(p))
		}
	}
	three := len(n.channels) == 3
	if three {
		s.gray = ontoGray(s.axis(planes))
	}
	s.each(planes, func(c *noisecurve.Stabilizer, v float32) float32 { return float32(c.Forward(float64(v))) })
	span, _ := dynamicRange(planes)
	if three { // the root mean square is what the brightness has
		sum := 0.0
		for i := range planes {
			r, _ := dynamicRange(planes[i : i+1])
			sum += r * r / 3
		}
		span = math.Sqrt(sum)
		s.gray.apply(planes, o.Workers)
	}
	s.scale = 1 / max(1, span)
	s.each(planes, func(_ *noisecurve.Stabilizer, v float32) float32 { return v * float32(s.scale) })
	return s
}

// restore undoes stabilize and blends with the input.
func (s stabilized) restore(planes [][]float32) {
	if len(s.channels) == 3 {
		s.gray.apply(planes, s.o.Workers)
	}
	s.each(planes, func(c *noisecurve.Stabilizer, v float32) float32 { return float32(c.Inverse(float64(v) / s.scale)) })
	if s.input != nil {
		blend(planes, s.input, s.o)
	}
}

func (s stabilized) each(planes [][]float32, f func(*noisecurve.Stabilizer, float32) float32) {
	for i, p := range planes {
		c := s.channels[min(i, len(s.channels)-1)]
		pieces(s.o.Workers, len(p), func(from, to int) {
			for i, v := range p[from:to] {
				p[from+i] = f(c, v)
			}
		})
	}
}
