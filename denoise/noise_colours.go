package denoise

import (
	"math"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// Noise that is independent in red, green and blue is told by their differences. They have little texture, so that weak
// noise of textured pictures is measured there, too.

const (
	// maxIndependent is the ratio of coarse over fine noise of the differences up to which the noise of the channels is
	// independent. White noise has 0.8 to 0.9. That of cameras and under JPEG has 1.1 and more, with few exceptions.
	maxIndependent = 1.0
	// maxWhite is that ratio up to which such noise is white: it has 0.80 to 0.84, weak noise up to 0.86. In pictures
	// that were made a little smaller it has 0.85 to 1.
	maxWhite = 0.86
	// sureColours is the ratio of the levels of brightness and colours from which they count as two.
	sureColours = 1.5
	// weakWhite is the level, in grey levels, below which texture matters to estimates of the brightness.
	weakWhite = 12
	// In a clipped image, the measured level of the brightness must be at least the share agreesClipped of the level
	// predicted from the colours. Where clipping has taken noise from the differences, it has about 0.6.
	agreesClipped = 0.7
)

// independent returns the noise of a stretched colour image if it is independent in red, green and blue, or false if it
// is not, or is white and as strong in the brightness as in the colours.
func (s evidence) independent() (foundNoise, bool) {
	o := s.o
	if len(s.planes) != 3 || o.Noise != Auto && o.Noise != Poisson {
		return nil, false
	}
	colours := s.colours()
	if o.ended() {
		return nil, false
	}
	if colours.Broad() > maxIndependent {
		return nil, false
	}
	own := colours.Fit()
	if n, ok := s.ownOfChannels(own, o); ok {
		return n, true
	}
	switch {
	case isPhoton(colours, own):
		return s.photonsOfColours(own, o), true
	case o.Noise == Auto && isWhite(colours, own) && colours.Broad() > maxWhite:
		return s.broad()
	case o.Noise == Auto && isWhite(colours, own):
		return s.whiteOfColours(own.Sigma)
	}
	return nil, false
}

// whiteOfColours returns white noise with a level for the brightness and one for the colours, if they differ. Where the
// brightness has more, it may be texture: weak noise has the level of the colours. It is false if the planes themselves
// tell as well.
func (s evidence) whiteOfColours(chroma float64) (foundNoise, bool) {
	all := s.whiteLevel(s.curve, s.fit)
	// since all is the root mean square over one luma and two colours
	luma := math.Sqrt(max(0, 3*all*all-2*chroma*chroma))
	if 255*min(luma, chroma) < minSigma {
		return nil, false
	}
	clipped := s.curve.Clipped() > noisecurve.MaxClipped // then differences may have less noise than there is
	// JPEG takes more of the noise of colours away.
	if luma > sureColours*chroma && s.o.stepsOf(s.stretched).Known() {
		return nil, false
	}
	weaker, stronger := chroma > sureColours*luma, luma > sureColours*chroma && isWhite(s.curve, s.fit)
	if weaker || stronger {
		if _, own := s.brightness(s.o); own.Kind == noisecurve.White { // more accurate, but takes time
			measured := max(math.Sqrt(3)*own.Sigma, minSigma/255)
			clipped = clipped && measured < agreesClipped*luma // else clipping did no harm
			luma = measured
		}
		switch {
		case weaker && chroma > sureColours*luma, stronger && luma > sureColours*chroma && !clipped:
			return gaussianNoise{sigma: luma * s.unit, chroma: chroma * s.unit, unit: s.unit, estimated: true}, true
		case weaker:
			return newGaussian(chroma*s.unit, s.unit, true), true
		case !clipped:
			return findBroad(all, s.curve.Step, s.stretched, s.o), true
		}
	}
	if 255*chroma < weakWhite && !clipped {
		return newGaussian(chroma*s.unit, s.unit, true), true
	}
	return nil, false
}

// ownOfChannels returns the noise of each channel, measured in its flat places, or false if one noise is right for all
// or a channel has too few of them. Filters, gains and white balance make channels differ.
func (s stretched) ownOfChannels(all noisecurve.Fit, o Options) (foundNoise, bool) {
	n := evenedNoise{level: 1, estimated: true}
	var factors [3]float64
	squares := 0.0
	for i, p := range s.planes {
		if o.ended() {
			return nil, false
		}
		c := noisecurve.Measure([][]float32{p}, s.width, s.height, o.Workers)
		fit := c.Fit()
		if c.Broad() > noisecurve.MaxWhite {
			return nil, false
		}
		switch {
		case fit.Kind == noisecurve.Photon && isPhoton(c, fit):
			n.photons[i] = photonsOf(fit, s)
		case o.Noise == Auto && isWhite(c, fit) && 255*fit.Sigma > minSigma:
			n.photons[i] = PhotonNoise{ReadNoise: fit.Sigma * s.unit}
			squares += fit.Sigma * s.unit * fit.Sigma * s.unit / 3
		default:
			return nil, false
		}
		if o.ended() {
			return nil, false
		}
		n.channels = append(n.channels, s.stabilizer(fit))
		factors[i] = ratioTo(c, all)
	}
	if n.photons[0].Gain+n.photons[1].Gain+n.photons[2].Gain == 0 {
		n.sigma = math.Sqrt(squares)
	}
	return n, differ(factors)
}

// differ reports whether factors of variances are too far apart for one noise to be right for all channels.
func differ(factors [3]float64) bool {
	mean := math.Cbrt(factors[0] * factors[1] * factors[2])
	for _, f := range factors {
		if math.Abs(math.Log(f/mean))/2 > channelsApart {
			return true
		}
	}
	return false
}

// stabilizer returns the transform of a fit on the scale of the image.
func (s stretched) stabilizer(f noisecurve.Fit) *noisecurve.Stabilizer {
	f.Sigma, f.Gain, f.ReadNoise = f.Sigma*s.unit, f.Gain*s.unit, f.ReadNoise*s.unit
	f.Offset, f.Dark = s.low+f.Offset*s.unit, s.low+f.Dark*s.unit
	return f.Stabilizer()
}

// photonsOfColours returns the photon noise of a fit to the differences: that of each channel if white balance has made
// them differ.
func (s stretched) photonsOfColours(fit noisecurve.Fit, o Options) foundNoise {
	n := evenedNoise{level: 1, estimated: true}
	factors := s.channelFactors(fit, o)
	if o.ended() || !differ(factors) {
		return foundPhotons(fit, s)
	}
	for i, f := range factors {
		if !(f > 1.0/maxGain && f < maxGain) {
			return foundPhotons(fit, s)
		}
		if o.ended() {
			return foundPhotons(fit, s)
		}
		own := stronger(fit, f)
		n.photons[i] = photonsOf(own, s)
		n.channels = append(n.channels, s.stabilizer(own))
	}
	return n
}

// channelFactors returns how many times stronger than a fit the noise of each channel is, in variance. The difference
// of two channels has the mean of both, so three differences tell.
func (s stretched) channelFactors(fit noisecurve.Fit, o Options) (f [3]float64) {
	pair := func(d noisecurve.Opponent) float64 {
		if o.ended() {
			return 1
		}
		return ratioTo(noisecurve.MeasureColours(s.planes, []noisecurve.Opponent{d}, s.width, s.height, o.Workers), fit)
	}
	rg, gb, rb := pair(noisecurve.Opponent{1, -1, 0}), pair(noisecurve.Opponent{0, 1, -1}),
		pair(noisecurve.Opponent{1, 0, -1})
	return [3]float64{rg + rb - gb, rg + gb - rb, rb + gb - rg}
}
