package onedim

// TotalVariation writes the exact solution of
//
//	min_x 1/2 ||x - y||^2 + strength sum_i |x_(i+1) - x_i|
//
// to x. The running sum of x is the taut string in a tube around the running sum of y that reaches strength up and
// down: P. L. Davies, A. Kovac, "Local extremes, runs, strings and multiresolution", Annals of Statistics 29(1), 2001.
// The time is proportional to the length. x has the length of y and may be y. strength >= 0 has the unit of the
// samples.
func TotalVariation(x, y []float64, strength float64) {
	n := len(y)
	if n == 0 {
		return
	}
	s := tautString{x: x}
	sum := 0.0
	for k := 1; k <= n; k++ {
		sum += y[k-1]
		half := strength
		if k == n {
			half = 0
		}
		s.below(knot{k, sum - half})
		s.above(knot{k, sum + half})
	}
	for _, to := range s.lower { // the tube ends in a point, so both walls are the same line here
		s.draw(to)
	}
}

// knot is a point of the running sum.
type knot struct {
	at  int // number of samples before it
	sum float64
}

func slope(a, b knot) float64 { return (b.sum - a.sum) / float64(b.at-a.at) }

// tautString is the state of the algorithm. The string is drawn up to the apex. From there two walls bound its way on;
// the lower one bends down and the upper one bends up.
type tautString struct {
	x            []float64 // output
	apex         knot
	lower, upper []knot
}

// below adds a point that the string must pass above.
func (s *tautString) below(p knot) {
	s.lower = bend(s.apex, s.lower, p, func(old, new float64) bool { return old <= new })
	for len(s.lower) == 1 && len(s.upper) > 0 && s.upper[0].at < p.at && slope(s.apex, p) > slope(s.apex, s.upper[0]) {
		s.draw(s.upper[0])
		s.upper = s.upper[1:]
	}
}

// above adds a point that the string must pass below.
func (s *tautString) above(p knot) {
	s.upper = bend(s.apex, s.upper, p, func(old, new float64) bool { return old >= new })
	for len(s.upper) == 1 && len(s.lower) > 0 && s.lower[0].at < p.at && slope(s.apex, p) < slope(s.apex, s.lower[0]) {
		s.draw(s.lower[0])
		s.lower = s.lower[1:]
	}
}

// bend appends a point to a wall and removes the points that no longer touch the string.
func bend(apex knot, wall []knot, p knot, hides func(old, new float64) bool) []knot {
	for len(wall) > 0 {
		before := apex
		if len(wall) > 1 {
			before = wall[len(wall)-2]
		}
		last := wall[len(wall)-1]
		if !hides(slope(before, last), slope(last, p)) {
			break
		}
		wall = wall[:len(wall)-1]
	}
	return append(wall, p)
}

// draw draws the string in a straight line to a point, which becomes the apex.
func (s *tautString) draw(to knot) {
	level := slope(s.apex, to)
	for i := s.apex.at; i < to.at; i++ {
		s.x[i] = level
	}
	s.apex = to
}
