package solve

import "gonum.org/v1/gonum/floats"

// SoftThreshold is the proximal operator of t |.|: it moves v towards zero by t.
func SoftThreshold(v, t float64) float64 {
	switch {
	case v > t:
		return v - t
	case v < -t:
		return v + t
	}
	return 0
}

// SolveScalar is the solution of min_x 1/2 (x - y)^2 + |w x|, the paper's scalar case (sec:locan).
func SolveScalar(w, y float64) float64 {
	if w < 0 {
		w = -w
	}
	return SoftThreshold(y, w)
}

// SolveOrthonormal is the solution of the lower-level problem for an orthonormal W times a strength c > 0 (W'W = c^2 I,
// K = N), the paper's section:ortho: x* = V' S_c(V y) with V = W/c. The result is written to x.
func SolveOrthonormal(x []float64, w Transform, y []float64) {
	c2 := floats.Dot(w.Row(0), w.Row(0))
	z := make([]float64, w.K)
	w.Analyze(z, y) // c V y
	for i := range z {
		z[i] = SoftThreshold(z[i], c2) / c2
	}
	w.AnalyzeAdjoint(x, z)
}
