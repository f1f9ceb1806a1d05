package guided

import "math"

// With a = k / (1 + k) and t = d / (1 + k), the solution of a problem is y + a (p - y), soft-thresholded at t. Networks give t and a.

// solution returns it. Where it is not known which way to branch, branches take more time than all the rest.
func solution(y, p, t, a float32) float32 {
	const sign = 1 << 31
	v := y + a*(p-y)
	bits := math.Float32bits(v)
	rest := math.Float32frombits(bits&^sign) - t // of the magnitude
	out := math.Float32bits(rest) | bits&sign
	if !(rest > 0) {
		out = 0
	}
	return math.Float32frombits(out)
}

// derivative returns the derivatives of the solution by t and a. At a kink they are those of the flat side.
func derivative(y, p, t, a float32) (byT, byA float32) {
	switch v := y + a*(p-y); {
	case v > t:
		return -1, p - y
	case v < -t:
		return 1, p - y
	}
	return 0, 0
}
