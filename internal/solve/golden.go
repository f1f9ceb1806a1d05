package solve

import "math"

// GoldenSection returns the minimum of a unimodal function on [a, b] to within tol: J. Kiefer, "Sequential minimax search for
// a maximum", Proceedings of the American Mathematical Society 4(3), 1953.
func GoldenSection(a, b, tol float64, f func(float64) float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	c, d := b-ratio*(b-a), a+ratio*(b-a)
	fc, fd := f(c), f(d)
	for b-a > tol {
		if fc < fd {
			b, d, fd = d, c, fc
			c = b - ratio*(b-a)
			fc = f(c)
		} else {
			a, c, fc = c, d, fd
			d = a + ratio*(b-a)
			fd = f(d)
		}
	}
	return (a + b) / 2
}
