package baseline

import "math"

// GoldenSection returns where a unimodal function on [a, b] has its minimum, to within tol: J. Kiefer, "Sequential minimax
// search for a maximum", Proceedings of the American Mathematical Society 4(3), 1953. It is how the strengths of
// regularizers that are not learned are tuned.
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

// TuneStrength returns the strength in [low, high], low > 0, with the least loss, by golden-section search on its
// logarithm to within 1 %.
func TuneStrength(low, high float64, loss func(strength float64) float64) float64 {
	return math.Exp(GoldenSection(math.Log(low), math.Log(high), 0.01, func(l float64) float64 { return loss(math.Exp(l)) }))
}
