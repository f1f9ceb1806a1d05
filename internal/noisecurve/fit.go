package noisecurve

import "math"

// Kind is a kind of noise.
type Kind int

const (
	// unknown means that the image is too small to tell.
	unknown Kind = iota
	// None means that the image is drawn or computed: most of it has no noise.
	None
	// White noise is the same at all levels, as far as it can be told.
	White
	// Photon noise grows with the level.
	Photon
)

func (k Kind) String() string { return [...]string{"unknown", "none", "white", "photon"}[k] }

// Fit is the noise that a curve shows, in the unit of the samples.
type Fit struct {
	Kind  Kind
	Sigma float64 // standard deviation of White noise, as clipping left it

	// Photon noise. A sample is Gain times a Poisson variable, plus Offset, plus Gaussian noise of standard deviation
	// ReadNoise. Only Gain and Gain*Offset-ReadNoise^2 can be measured. Offset is the level where the variance would be
	// 0, with a ReadNoise of 0, unless no sample is as low as that; then it is the least sample.
	Gain, Offset, ReadNoise float64
	// Dark is the mean of the darkest places, not below Offset.
	Dark float64

	GainError float64 // standard error of the slope of the curve
	Evidence  float64 // for noise that depends on the level, 0 to 1; White has less than 0.1
}

const (
	minSlope = 3.0 // standard errors, for photon noise

	// The evidence is the difference of two costs times what is at stake, at most 1, from none to full. Chosen so that
	// white noise on BSD400, 5 to 50 gray levels, is not taken for photon noise.
	noEvidence   = 2.0
	fullEvidence = 11.0

	// nearOffset is how far the least sample is from the offset, at most, in gains, if there is no read noise.
	nearOffset = 0.25

	minEvidence = 0.1 // for photon noise

	// rounding is the most variance that rounding makes, in squared steps: 1/12 if samples are independent, 0.15 on
	// ramps.
	rounding = 0.2
	// smooth is how many times the energy at coarse frequencies exceeds that at fine ones where a picture is smooth and
	// has no noise. It is at most 30 in photographs.
	smooth = 1000
	// precision is the relative rounding error of a float32.
	precision = 1.0 / (1 << 23)
)

// Fit decides what kind of noise there is, and how strong it is.
func (c Curve) Fit() Fit {
	if len(c.Points) == 0 {
		if c.Constant > 0 || c.Low == c.High {
			return Fit{Kind: None}
		}
		return Fit{}
	}
	s := fit(c.Points)
	evidence := c.evidence(s)
	switch {
	case evidence < 1 && c.none():
		return Fit{Kind: None, Evidence: evidence}
	case evidence < minEvidence:
		return Fit{Kind: White, Sigma: math.Sqrt(c.Even.Seen), GainError: s.slopeError, Evidence: evidence}
	}
	// In doubt, the truth is between the two.
	s.at0 = evidence*s.at0 + (1-evidence)*c.Even.Seen
	s.slope *= evidence
	return c.photon(s, evidence)
}

// photon returns the photon noise of a line.
func (c Curve) photon(s straight, evidence float64) Fit {
	f := Fit{Kind: Photon, Gain: s.slope, Offset: -s.at0 / s.slope, GainError: s.slopeError, Evidence: evidence}
	if math.Abs(f.Offset-c.Low) < nearOffset*f.Gain {
		f.Dark = f.Offset // no read noise to speak of
		return f
	}
	if f.Offset < c.Low {
		f.ReadNoise, f.Offset = math.Sqrt(s.at(c.Low)), c.Low
	}
	f.Dark = max(f.Offset, c.Points[0].Level)
	return f
}

// none reports whether most of the image has no noise but that of rounding.
func (c Curve) none() bool {
	limit := c.rounded()
	without := c.share(func(p Point) float64 { return boolean(p.Variance <= limit || p.Coarse > smooth*p.Variance) })
	return c.Constant+(1-c.Constant)*without > 0.5
}

// rounded returns the most variance that rounding makes.
func (c Curve) rounded() float64 {
	ulp := precision * max(math.Abs(c.Low), math.Abs(c.High))
	return max(ulp*ulp, rounding*c.Step*c.Step)
}

// evidence weighs a line against noise that is the same everywhere, clipped or not.
func (c Curve) evidence(s straight) float64 {
	if !s.rises() {
		return 0
	}
	points := c.unclipped()
	even := straight{at0: max(c.Even.Variance, c.rounded())}
	worse := min(cost(c.Points, even, 0), cost(points, even, 0))
	better := cost(c.Points, s, s.slope)
	if other := fit(points); cost(points, other, other.slope) < better {
		s, better = other, cost(points, other, other.slope)
	}
	if !s.rises() {
		return 0
	}
	e := (worse - better) * min(1, c.stake(s, even.at0))
	return min(1, max(0, (e-noEvidence)/(fullEvidence-noEvidence)))
}

// rises reports whether the slope is certainly positive.
func (s straight) rises() bool { return s.slope > minSlope*s.slopeError }

// stake is how much a line differs from even noise over the image, in logarithms of the variance. Fourth powers make
// small parts of the image that differ much count more.
func (c Curve) stake(s straight, even float64) float64 {
	floor := stabilizing * s.slope * s.slope
	return math.Sqrt(math.Sqrt(c.share(func(p Point) float64 {
		v := max(even/100, s.at(p.Level)+floor)
		return math.Pow(math.Log(v/(even+floor)), 4)
	})))
}
