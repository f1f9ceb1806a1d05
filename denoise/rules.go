package denoise

import (
	"context"
	"sync"

	"github.com/blorc-denoise/blorc-denoise/internal/noisecurve"
)

// evidence is an image whose noise is looked for, and what was measured of it.
type evidence struct {
	stretched
	curve noisecurve.Curve // of all planes together
	fit   noisecurve.Fit   // of the curve
	o     Options
	// of differences of red, green and blue: several rules need it, so it is kept
	colours func() noisecurve.Curve
}

// evidenceOf returns the evidence of an image of which a curve was measured.
func (o Options) evidenceOf(s stretched, curve noisecurve.Curve) evidence {
	return evidence{s, curve, curve.Fit(), o, sync.OnceValue(func() noisecurve.Curve {
		return curve.MeasureColours(s.planes, noisecurve.Opponents(), s.width, s.height, o.Workers)
	})}
}

// rules tell the noise of an image that is alike in all places. The first that knows it decides.
func rules() []firstRule {
	return []firstRule{
		{"brightness", evidence.ofBrightness},
		{"colours", evidence.ofColours},
		{"photons", evidence.ofPhotons},
		{"white", evidence.white},
		{"broad", evidence.broad},
	}
}

// secondRules look at what the rules have told. Each that knows better decides, one after the other.
func secondRules() []secondRule {
	return []secondRule{
		{"curve", evidence.ofCurve},
		{"steps", evidence.underSteps},
		{"enlarged", evidence.ofEnlarged},
	}
}

type (
	firstRule struct {
		name string
		tell func(evidence) (foundNoise, bool)
	}
	secondRule struct {
		name string
		tell func(evidence, foundNoise) (foundNoise, bool)
	}
)

// find measures an image whose noise is not given. Samples of a small or a very large range are stretched first: the
// noise of a picture in the lowest bits of a 16-bit file is the noise of the same picture over the whole range.
func (o Options) find(img image) foundNoise {
	inside, at, ok := o.withoutDrawn(img)
	if !ok {
		o.decide("drawn")
		return noNoise{Result{Estimated: true}}
	}
	if o.ended() {
		return noNoise{}
	}
	s := inside.stretch(o.crew(o.context()))
	if o.ended() {
		return noNoise{}
	}
	e := o.evidenceOf(s, noisecurve.Measure(s.planes, s.width, s.height, o.Workers))
	found := e.findAlike()
	if o.Noise == Auto && !o.ended() {
		if n, ok := e.findPlaces(found); ok {
			o.decide("places")
			return n.moved(at)
		}
	}
	return found
}

// findAlike tells the noise as if it were alike in all places.
func (s evidence) findAlike() foundNoise {
	found := s.findFirst()
	for _, r := range secondRules() {
		if s.o.ended() {
			return noNoise{}
		}
		if n, ok := r.tell(s, found); ok {
			found = n
			s.o.decide(r.name)
		}
	}
	return found
}

// findFirst is findAlike without the second rules.
func (s evidence) findFirst() foundNoise {
	for _, r := range rules() {
		if s.o.ended() {
			break
		}
		if n, ok := r.tell(s); ok {
			s.o.decide(r.name)
			return n
		}
	}
	return noNoise{}
}

// context returns that of the call.
func (o Options) context() context.Context {
	if o.ctx == nil {
		return context.Background()
	}
	return o.ctx
}

// ended reports whether the context of the call is done. Then what is measured does not matter any more.
func (o Options) ended() bool { return o.context().Err() != nil }

// decide notes the name of the rule that has told the noise.
func (o Options) decide(rule string) {
	if o.decided != nil {
		*o.decided = rule
	}
}

func (s evidence) ofBrightness() (foundNoise, bool) {
	if s.o.Noise != Auto {
		return nil, false
	}
	return s.findLuma()
}

func (s evidence) ofColours() (foundNoise, bool) { return s.independent() }

func (s evidence) ofPhotons() (foundNoise, bool) {
	if s.o.Noise != Poisson && !(s.o.Noise == Auto && isPhoton(s.curve, s.fit) && s.evenColours(s.o.Workers)) {
		return nil, false
	}
	if n, differ := channelPhotons(s.curve, s.fit, s.stretched, s.o); differ {
		return n, true
	}
	return foundPhotons(s.fit, s.stretched), true
}

func (s evidence) white() (foundNoise, bool) {
	if s.o.Noise != Gaussian && !(s.o.Noise == Auto && isWhite(s.curve, s.fit) && s.evenColours(s.o.Workers)) {
		return nil, false
	}
	return newGaussian(s.whiteLevel(s.curve, s.fit)*s.unit, s.unit, true), true
}

func (s evidence) broad() (foundNoise, bool) {
	return findBroad(s.whiteLevel(s.curve, s.fit), s.curve.Step, s.stretched, s.o), true
}

// underSteps tells broad noise of the predicted level if white noise was found in a JPEG file with larger quantisation
// steps. Little is left of the finest part of the noise then.
func (s evidence) underSteps(found foundNoise) (foundNoise, bool) {
	const maxStep = 2.5 // ratio of the largest step over the level of white noise up to which that noise is seen
	r := found.result()
	if r.Noise != Gaussian || s.o.Noise != Auto || s.o.stepsOf(s.stretched).Largest() <= maxStep*r.Sigma {
		return nil, false
	}
	return newBroad(s.broadLevel(s.o).Sigma*s.unit, s.unit, true), true
}

func (s evidence) ofEnlarged(found foundNoise) (foundNoise, bool) {
	if s.o.Noise != Auto || found.isFine(s.curve) {
		return nil, false
	}
	return s.findEnlarged()
}
