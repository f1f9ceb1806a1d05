package denoise

import "github.com/blorc-denoise/blorc-denoise/internal/noisecurve"

// noiseModel is the noise of a channel, given or found. White noise, photon noise, camera noise and all others are
// values of it. Its fields are the steps, in this order, that make the noise such that models fit: an upsampled picture
// is reduced, the samples are divided by a map of the strength, and a transform stabilises the variance. What is left
// is an evenNoise. The zero noiseModel is no noise.
type noiseModel struct {
	scale     int         // the picture was upsampled: the rest is noise of the picture at 1/scale of its size; 0 = no
	places    *strengths  // of the noise by place; nil = the same everywhere
	curve     *brightness // how the variance depends on the brightness; nil = not at all
	even      evenNoise   // what is left then; with a curve, in standard deviations of the noise
	estimated bool        // found in the image, not given
	residual  *residual   // measures correlated noise by what its removal takes; nil if nothing needs that
}

// evenNoise is noise of one level at all brightnesses and in all places, as models assume it.
type evenNoise struct {
	sigma      float64 // assumed by models, for the brightness of colours or a gray plane, on the scale of the samples
	chroma     float64 // the same for the colours, if theirs is another; else 0
	unit       float64 // see image.unit
	correlated bool    // spatially: its fine part is weak; else the noise is white
	pedestal   float32 // see image.pedestal
}

// newEven returns noise of one level, or no noise if it is too weak to matter.
func newEven(sigma, unit float64, correlated, estimated bool) noiseModel {
	n := noiseModel{even: evenNoise{sigma: sigma, unit: unit, correlated: correlated}, estimated: estimated}
	if 255*sigma < minSigma*unit {
		n.even = evenNoise{}
	}
	return n
}

// givenPhotons returns photon noise that is the same in all planes. Dark is the least mean of a sample: the offset, or
// more.
func givenPhotons(p PhotonNoise, dark float64, estimated bool) noiseModel {
	s := noisecurve.NewStabilizer(p.Gain, p.Offset, p.ReadNoise, dark)
	if !estimated && p.ReadNoise == 0 {
		s = s.Clamped()
	}
	return byBrightness(brightness{channels: []*noisecurve.Stabilizer{s}, photons: [3]PhotonNoise{p, p, p}}, estimated)
}

// byBrightness returns noise that is white after its variance is stabilised.
func byBrightness(b brightness, estimated bool) noiseModel {
	return noiseModel{curve: &b, even: evenNoise{sigma: 1, unit: 1}, estimated: estimated}
}

// isNone reports whether there is no noise to remove.
func (n noiseModel) isNone() bool { return n.even.sigma == 0 }

// dependsOnPlace reports whether the noise depends on places of its image, so that another image cannot have it.
func (n noiseModel) dependsOnPlace() bool { return n.scale > 0 || n.places != nil }

// result says what the noise is.
func (n noiseModel) result() Result {
	r := Result{Noise: Gaussian, Sigma: 255 * n.even.sigma, SigmaChroma: 255 * n.even.chroma}
	switch {
	case n.isNone():
		r = Result{Noise: None}
	case n.curve != nil:
		r = n.curve.result(n.even.sigma)
	case n.even.correlated:
		r.Noise = Camera
	}
	r.Estimated, r.Scale = n.estimated, n.scale
	if n.places != nil {
		r.Places[0], r.Places[1] = n.places.Range()
	}
	return r
}

// halvings returns how often the picture is halved before its noise is removed.
func (n noiseModel) halvings() (times int) {
	for s := n.scale; s > 1; s /= 2 {
		times++
	}
	return times
}

// afterCurve returns the noise that models remove: that after all transforms.
func (n noiseModel) afterCurve() evenNoise {
	if n.curve == nil {
		return n.even
	}
	e, f := n.even, n.curve.toUnit()
	e.sigma, e.chroma = f*e.sigma, f*e.chroma
	return e
}

// deviation returns the standard deviation in a plane at a brightness, or nil if it is not known. Sure is false if the
// residual tells more about the places of the noise.
func (n noiseModel) deviation(planes int) (sigma func(plane int, brightness float64) float64, sure bool) {
	switch {
	case n.isNone():
		return func(int, float64) float64 { return 0 }, true
	case n.dependsOnPlace():
		return nil, false
	case n.curve != nil && n.curve.camera == 0:
		return func(plane int, v float64) float64 { return n.curve.deviation(plane, v, n.even.sigma) }, true
	case n.even.correlated:
		return nil, false
	}
	even := evenClamp(n.even.sigma, n.even.chroma, planes).noise[0]
	return func(_ int, brightness float64) float64 { return even.At(brightness) }, !n.estimated
}
