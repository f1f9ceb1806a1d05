package train

import "math"

// penalty is what a row of the lower-level problem of a non-local stage pays for its coefficient z = w x:
//
//	g(z) = d |z| + e |z - p|
//
// a pull to zero and a pull to the pilot's coefficient p. It is convex and piecewise linear, with a kink at 0 and one at
// p, so the problem stays an l1-analysis problem: each kink is a weighted and shifted row of the same filter.
type penalty struct{ d, e, p float64 }

// segment says where a coefficient lies: below both kinks, on the lower, between them, on the upper, or above both. The
// odd ones are the zero set of the problem: there an equation w x = kink holds, and the dual is free within a range. On
// the even ones the dual is the slope of the penalty. Where the kinks coincide there are below, onLower and above only.
type segment int8

const (
	below segment = iota
	onLower
	between
	onUpper
	above
)

func (s segment) onKink() bool { return s&1 == 1 }

// kink is the coefficient on an odd segment.
func (g penalty) kink(s segment) float64 {
	if s == onLower {
		return min(0, g.p)
	}
	return max(0, g.p)
}

// atPilot says whether the kink of an odd segment is p, which moves with the filter, or zero, which does not.
func (g penalty) atPilot(s segment) bool { return s == onLower && g.p < 0 || s == onUpper && g.p > 0 }

// slope is the dual on an even segment.
func (g penalty) slope(s segment) float64 {
	by, to := slopeSigns(s, g.p)
	return by*g.d + to*g.e
}

// slopeSigns are the derivatives of the slope of an even segment with respect to d and e: the signs of z and of z - p.
func slopeSigns(s segment, p float64) (ofZero, ofPilot float64) {
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

// dualRange bounds the dual on an odd segment.
func (g penalty) dualRange(s segment) (lo, hi float64) {
	lo, hi = -g.d-g.e, g.d+g.e
	if g.p == 0 {
		return lo, hi
	}
	if s == onLower {
		return lo, g.slope(between)
	}
	return g.slope(between), hi
}

// coefficientRange bounds the coefficient on an even segment.
func (g penalty) coefficientRange(s segment) (lo, hi float64) {
	lower, upper := min(0, g.p), max(0, g.p)
	switch s {
	case below:
		return math.Inf(-1), lower
	case above:
		return upper, math.Inf(1)
	}
	return lower, upper
}

// next is the neighbouring segment in a direction, +1 or -1.
func (g penalty) next(s segment, direction int) segment {
	n := s + segment(direction)
	if g.p == 0 && (n == between || n == onUpper) { // the kinks are one, called onLower
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

// repair returns the segment that the conditions ask for, given the dual on an odd and the coefficient on an even one.
func (g penalty) repair(s segment, value, tol float64) segment {
	var lo, hi float64
	if s.onKink() {
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

// scalarSegment is the segment of the minimizer of (z - c)^2 / (2 n) + g(z): where a coefficient c = w y would go if
// the row w with ||w||^2 = n were orthogonal to all others. It is what the exact solver starts from.
func (g penalty) scalarSegment(c, n float64) segment {
	for _, s := range [...]segment{onLower, onUpper} {
		if lo, hi := g.dualRange(s); (c-g.kink(s))/n >= lo && (c-g.kink(s))/n <= hi {
			return s
		}
		if g.p == 0 {
			break
		}
	}
	switch {
	case c-n*g.slope(below) < min(0, g.p):
		return below
	case c-n*g.slope(above) > max(0, g.p):
		return above
	case g.p == 0:
		return onLower
	}
	return between
}
