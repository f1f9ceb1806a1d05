package kernel

import "math"

// A logarithm is a linear function of the bits of a float32, with the exponent before the mantissa.
const (
	logOctave = math.Ln2 / (1 << mantissaBits)
	logOfOne  = exponentBias * math.Ln2
	logFloor  = 0.125
)

// logs sets dst to the logarithms of v.
func logs(dst, v []float32) {
	dst = dst[:len(v)]
	for i, x := range v {
		dst[i] = logOf(x)
	}
}

// logsOfDifference sets dst to the logarithms of a - b.
func logsOfDifference(dst, a, b []float32) {
	dst, b = dst[:len(a)], b[:len(a)]
	for i, x := range a {
		dst[i] = logOf(x - b[i])
	}
}

func logOf(v float32) float32 {
	bits := math.Float32bits(abs(v) + logFloor)
	return float32(float32(int32(bits))*logOctave) - logOfOne
}

// solve computes Solve.
func solve(z, u, v, y, p, skip, most []float32) {
	rows := len(most)
	for k, most := range most {
		z, u, v, y, p := rowAt(z, k), rowAt(u, k), rowAt(v, k), rowAt(y, k), rowAt(p, k)
		t0, t1, t2 := skip[k], skip[rows+k], skip[2*rows+k]
		a0, a1, a2 := skip[3*rows+k], skip[4*rows+k], skip[5*rows+k]
		for i, y := range y {
			p := p[i]
			fp, fr, fy := logOf(p), logOf(y-p), logOf(y)
			u := u[i] + float32(t0*fp) + float32(t1*fr) + float32(t2*fy)
			v := v[i] + float32(a0*fp) + float32(a1*fr) + float32(a2*fy)
			t := float32(0.5) * (u + sqrt32(float32(u*u)+4))
			if !(t < most) {
				t = most
			}
			a := float32(0.5) * (1 + v/sqrt32(float32(v*v)+4))
			z[i] = shrink(y+float32(a*(p-y)), t)
		}
	}
}

// shrink moves v towards zero by t, at most to zero. Where it is not known which way to branch, branches take more time
// than all the rest.
func shrink(v, t float32) float32 {
	const sign = 1 << 31
	rest := abs(v) - t
	bits := math.Float32bits(rest) | math.Float32bits(v)&sign
	if !(rest > 0) {
		bits = 0
	}
	return math.Float32frombits(bits)
}
