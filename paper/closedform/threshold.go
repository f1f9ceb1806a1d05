package closedform

import (
	"gonum.org/v1/gonum/floats"

	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// SoftThreshold returns v moved towards zero by t >= 0, or 0 if |v| <= t. It is the proximal operator of t |.|.
func SoftThreshold(v, t float64) float64 {
	switch {
	case v > t:
		return v - t
	case v < -t:
		return v + t
	}
	return 0
}

// Scalar returns the solution of min_x 1/2 (x - y)^2 + |w x|, the paper's scalar case (sec:locan).
func Scalar(w, y float64) float64 {
	if w < 0 {
		w = -w
	}
	return SoftThreshold(y, w)
}

// Orthonormal writes the solution of the lower-level problem to x for an orthonormal W times a strength c > 0
// (W'W = c^2 I, K = N): x* = V' S_c(V y) with V = W/c (the paper's section:ortho).
func Orthonormal(x []float64, w solve.Transform, y []float64) {
	c2 := floats.Dot(w.Row(0), w.Row(0))
	z := make([]float64, w.K)
	w.Analyze(z, y) // c V y
	for i := range z {
		z[i] = SoftThreshold(z[i], c2) / c2
	}
	w.AnalyzeAdjoint(x, z)
}
