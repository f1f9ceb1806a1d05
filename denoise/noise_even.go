package denoise

import (
	"context"
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// evenedNoise is noise whose strength depends on the brightness. It is made even before the models see it.
type evenedNoise struct {
	channels  []*noisecurve.Stabilizer // one for all planes, or one for each of red, green and blue
	level     float64                  // that models are told, in standard deviations of the noise
	chroma    float64                  // the same of the colours, if theirs is another; else 0
	broad     bool                     // the noise is broad after the transform, else white
	photons   [3]PhotonNoise           // of each channel; white noise has a ReadNoise alone
	sigma     float64                  // root mean square over the channels if their noise is white; else 0
	profile   *Profile                 // where the noise comes from; nil if it was found or given by numbers
	estimated bool
	whole     *wholeImage // set by of
}

// wholeImage is what decides how noise is made even, besides the noise itself.
type wholeImage struct {
	span float64    // of the samples after the transform
	gray reflection // see stabilized
}

// of returns the noise with what an image decides. Parts of the image then get the samples that they have in the whole
// one.
func (n evenedNoise) of(planes [][]float32) evenedNoise {
	spanOf := func(c *noisecurve.Stabilizer, planes [][]float32) float64 {
		span, low := dynamicRange(planes)
		return float64(float32(c.Forward(low+span))) - float64(float32(c.Forward(low)))
	}
	n.whole = new(wholeImage)
	if len(n.channels) != 3 {
		n.whole.span = spanOf(n.channels[0], planes)
		return n
	}
	n.whole.gray = ontoGray(axisOf(n.channels, planes))
	sum := 0.0
	for i, c := range n.channels { // the root mean square is what the brightness has
		r := spanOf(c, planes[i:i+1])
		sum += r * r / 3
	}
	n.whole.span = math.Sqrt(sum)
	return n
}

// scale brings the samples to a range of about 1, for which models are chosen.
func (n evenedNoise) scale() float64 { return 1 / max(1, n.whole.span) }

// gaussian is the noise after the transform.
func (n evenedNoise) gaussian() gaussianNoise {
	return gaussianNoise{sigma: n.scale() * n.level, chroma: n.scale() * n.chroma, unit: 1, notWhite: n.broad}
}

func (n evenedNoise) ofWhole(img image, _ Options) foundNoise { return n.of(img.planes) }

func (n evenedNoise) deviation(int) (func(int, float64) float64, bool) { return n.at, true }

func (evenedNoise) isFine(noisecurve.Curve) bool { return true }

func (n evenedNoise) result() Result {
	if n.sigma > 0 {
		return Result{Noise: Gaussian, Sigma: 255 * n.sigma, Estimated: n.estimated}
	}
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
		r.Range, r.profile = [2]float64{least, most}, n.profile
	} else {
		r.Sigma = 255 * mean
	}
	return r
}

// remove makes the noise even, denoises the image, and undoes the transform. The blend with the input comes last.
func (n evenedNoise) remove(ctx context.Context, img image, o Options) (string, error) {
	if n.whole == nil {
		n = n.of(img.planes)
	}
	s := n.stabilize(img.planes, o, o.crew(ctx))
	if err := ctx.Err(); err != nil {
		return "", err
	}
	o.bound = n.bound()
	o.Keep, o.KeepLuma, o.KeepChroma = 0, 0, 0
	name, err := n.gaussian().remove(ctx, img, o)
	if err != nil {
		return "", err
	}
	s.restore(img.planes)
	return name, nil
}

// bound bounds the samples after the transform.
func (n evenedNoise) bound() *bound {
	b := evenBound(n.gaussian().sigma, 0, len(n.channels))
	if len(n.channels) == 3 {
		b.gray = n.whole.gray
	}
	return b
}

// margins needs a noise of an image (see of).
func (n evenedNoise) margins(planes int, o Options) (margins, error) {
	return n.gaussian().margins(planes, o)
}

// stabilized is an image whose noise has become Gaussian noise of one level (see noisecurve.Stabilizer).
type stabilized struct {
	channels []*noisecurve.Stabilizer
	// brings the samples to a range of about 1, for which models are chosen; then it is the noise level
	scale float64
	input [][]float32 // for the blend; nil if the input has no share in the result
	gray  reflection  // with three channels: brings the brightness to the direction of gray
	o     Options
	by    crew
}

// stabilize replaces the samples of the planes.
func (n evenedNoise) stabilize(planes [][]float32, o Options, by crew) stabilized {
	s := stabilized{channels: n.channels, scale: n.scale(), gray: n.whole.gray, o: o, by: by}
	if o.strength(0) < 1 || o.strength(1) < 1 {
		for _, p := range planes {
			s.input = append(s.input, by.clone(p))
		}
	}
	s.each(planes, func(c *noisecurve.Stabilizer, v float32) float32 { return float32(c.Forward(float64(v))) })
	if len(n.channels) == 3 {
		s.gray.apply(planes, by)
	}
	s.each(planes, func(_ *noisecurve.Stabilizer, v float32) float32 { return v * float32(s.scale) })
	return s
}

// restore undoes stabilize and blends with the input.
func (s stabilized) restore(planes [][]float32) {
	if len(s.channels) == 3 {
		s.gray.apply(planes, s.by)
	}
	s.each(planes, func(c *noisecurve.Stabilizer,
		v float32) float32 {
		return float32(c.Inverse(float64(v) / s.scale))
	})
	if s.input != nil {
		blend(planes, s.input, s.o, s.by)
	}
}

func (s stabilized) each(planes [][]float32, f func(*noisecurve.Stabilizer, float32) float32) {
	for i, p := range planes {
		c := s.channels[min(i, len(s.channels)-1)]
		s.by.pieces(len(p), func(from, to int) {
			for i, v := range p[from:to] {
				p[from+i] = f(c, v)
			}
		})
	}
}
