package guided

// With a = k / (1 + k) and t = d / (1 + k), the solution of a problem is y + a (p - y), soft-thresholded at t. Networks
// give t and a, and kernel.Solve solves.

// derivative returns the derivatives of the solution with respect to t, a and p. At its kinks, the solution has none,
// and all are 0.
func derivative(y, p, t, a float32) (byT, byA, byP float32) {
	switch v := y + a*(p-y); {
	case v > t:
		return -1, p - y, a
	case v < -t:
		return 1, p - y, a
	}
	return 0, 0, 0
}
