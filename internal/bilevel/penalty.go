package bilevel

import "math"

// Penalty is the penalty of one row w of the lower-level problem of a non-local stage, as a function of the coefficient
// z = w x:
//
//	g(z) = D |z| + E |z - P|
//
// It pulls z to zero and to the pilot's coefficient P. It is convex and piecewise linear with kinks at 0 and at P, so
// the problem stays an l1-analysis problem: each kink is a weighted and shifted row with the same filter. D and E are
// not negative.
type Penalty struct{ D, E, P float64 }

// Segment says where a coefficient z lies relative to the two kinks: below both, on the lower, between them, on the
// upper, or above both. Odd segments form the zero set of the problem: there z equals the kink, and the dual may take
// any value of an interval. On even segments the dual is the slope of the penalty. If the kinks coincide (P = 0), only
// below, onLower and above are used.
type Segment int8

const (
	below Segment = iota
	onLower
	between
	onUpper
	above
)

// OnKink reports whether the coefficient lies on a kink.
func (s Segment) OnKink() bool { return s&1 == 1 }

// kink returns the coefficient on an odd segment.
func (g Penalty) kink(s Segment) float64 {
	if s == onLower {
		return min(0, g.P)
	}
	return max(0, g.P)
}

// AtPilot reports whether the kink of an odd segment is P, which depends on the filter, and not 0.
func (g Penalty) AtPilot(s Segment) bool { return s == onLower && g.P < 0 || s == onUpper && g.P > 0 }

// slope returns the dual on an even segment.
func (g Penalty) slope(s Segment) float64 {
	ofZero, ofPilot := SlopeSigns(s, g.P)
	return ofZero*g.D + ofPilot*g.E
}

// SlopeSigns returns the derivatives of the slope on an even segment by D and by E: the signs of z and of z - p.
func SlopeSigns(s Segment, p float64) (ofZero, ofPilot float64) {
	switch s {
	case below:
		return -1, -1
	case above:
		return 1, 1
	}
	if p > 0 {
		return 1, -1
	}
	return -1, 1
}

// dualRange returns the bounds of the dual on an odd segment.
func (g Penalty) dualRange(s Segment) (lo, hi float64) {
	lo, hi = -g.D-g.E, g.D+g.E
	if g.P == 0 {
		return lo, hi
	}
	if s == onLower {
		return lo, g.slope(between)
	}
	return g.slope(between), hi
}

// coefficientRange returns the bounds of the coefficient on an even segment.
func (g Penalty) coefficientRange(s Segment) (lo, hi float64) {
	lower, upper := min(0, g.P), max(0, g.P)
	switch s {
	case below:
		return math.Inf(-1), lower
	case above:
		return upper, math.Inf(1)
	}
	return lower, upper
}

// next returns the neighbouring segment in a direction, +1 or -1.
func (g Penalty) next(s Segment, direction int) Segment {
	n := s + Segment(direction)
	if g.P == 0 && (n == between || n == onUpper) { // both kinks coincide and are called onLower
		switch {
		case s == above:
			return onLower
		case direction > 0:
			return above
		}
		return below
	}
	return n
}

// repair returns s if its optimality condition holds within tol, and the neighbouring segment to move to otherwise.
// value is the dual on an odd segment and the coefficient on an even one.
func (g Penalty) repair(s Segment, value, tol float64) Segment {
	var lo, hi float64
	if s.OnKink() {
		lo, hi = g.dualRange(s)
	} else {
		lo, hi = g.coefficientRange(s)
	}
	switch {
	case value > hi+tol:
		return g.next(s, +1)
	case value < lo-tol:
		return g.next(s, -1)
	}
	return s
}

// scalarSegment returns the segment of the minimizer of (z - c)^2 / (2 n) + g(z). For a row w with ||w||^2 = n that is
// orthogonal to all others it is the segment of c = w y, and for other rows the solver's first guess.
func (g Penalty) scalarSegment(c, n float64) Segment {
	for _, s := range [...]Segment{onLower, onUpper} {
		if lo, hi := g.dualRange(s); (c-g.kink(s))/n >= lo && (c-g.kink(s))/n <= hi {
			return s
		}
		if g.P == 0 {
			break
		}
	}
	switch {
	case c-n*g.slope(below) < min(0, g.P):
		return below
	case c-n*g.slope(above) > max(0, g.P):
		return above
	case g.P == 0:
		return onLower
	}
	return between
}
