// Package golden finds the minimum of a function of one variable by golden-section search: J. Kiefer, "Sequential
// minimax search for a maximum", Proceedings of the American Mathematical Society 4(3), 1953. Strengths and scales that
// are not learned by gradients are tuned with it.
package golden

import "math"

// minimize returns where f has its minimum on [a, b]. The error is at most tol if f has one minimum there and is
// monotonic on either side of it.
func minimize(a, b, tol float64, f func(float64) float64) float64 {
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

// MinimizeLog is minimize on a logarithmic scale, for a strength in [low, high] with low > 0. The relative error is at
// most tol, so 0.01 stands for 1 %.
func MinimizeLog(low, high, tol float64, f func(float64) float64) float64 {
	return math.Exp(minimize(math.Log(low), math.Log(high), tol, func(l float64) float64 { return f(math.Exp(l)) }))
}
