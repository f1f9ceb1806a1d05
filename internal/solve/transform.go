package solve

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Transform is an analysis operator W of K filters (rows) of length N, row-major. In the lower-level problem
//
//	min_x 1/2 ||x - y||^2 + ||W x||_1
//
// the scale of W is the strength of the regularizer. The unit of W is one over the unit of the signal. Transforms of
// model files are for signals in units of the noise's standard deviation.
type Transform struct {
	K, N int
	W    []float64 // K x N, row-major
}

// NewTransform returns a k x n transform of zeros.
func NewTransform(k, n int) Transform { return Transform{k, n, make([]float64, k*n)} }

// Identity returns c times the n x n identity.
func Identity(n int, c float64) Transform {
	t := NewTransform(n, n)
	for i := range n {
		t.W[i*n+i] = c
	}
	return t
}

// Row returns filter i without copying it.
func (t Transform) Row(i int) []float64 { return t.W[i*t.N : (i+1)*t.N] }

// Clone returns a copy.
func (t Transform) Clone() Transform {
	return Transform{t.K, t.N, append([]float64(nil), t.W...)}
}

// Scale returns c W.
func (t Transform) Scale(c float64) Transform {
	t = t.Clone()
	for i := range t.W {
		t.W[i] *= c
	}
	return t
}

// Stack returns a transform with the rows of all the given ones, in order. Their rows must have the same length.
func Stack(ts ...Transform) (Transform, error) {
	if len(ts) == 0 {
		return Transform{}, errors.New("no transforms to stack")
	}
	out := Transform{N: ts[0].N}
	for _, t := range ts {
		if t.N != out.N {
			return Transform{}, fmt.Errorf("transforms of lengths %d and %d cannot be stacked", out.N, t.N)
		}
		out.K += t.K
		out.W = append(out.W, t.W...)
	}
	return out, nil
}

// Mul returns W B for a B of N rows. If the rows of B are an orthonormal basis, these are the filters for signals
// instead of their coefficients.
func (t Transform) Mul(b Transform) Transform {
	out := NewTransform(t.K, b.N)
	for i := range t.K {
		dst := out.Row(i)
		for j, w := range t.Row(i) {
			floats.AddScaled(dst, w, b.Row(j))
		}
	}
	return out
}

// T returns W'.
func (t Transform) T() Transform {
	out := NewTransform(t.N, t.K)
	for i := range t.K {
		for j, v := range t.Row(i) {
			out.W[j*t.K+i] = v
		}
	}
	return out
}

// Analyze sets z (K values) to W x (N samples).
func (t Transform) Analyze(z, x []float64) {
	for i := range t.K {
		z[i] = floats.Dot(t.Row(i), x)
	}
}

// AnalyzeAdjoint sets x (N samples) to W' u (K values).
func (t Transform) AnalyzeAdjoint(x, u []float64) {
	clear(x)
	for i := range t.K {
		if u[i] != 0 {
			floats.AddScaled(x, u[i], t.Row(i))
		}
	}
}

// RowNorms returns the Euclidean norm of each filter.
func (t Transform) RowNorms() []float64 {
	norms := make([]float64, t.K)
	for i := range norms {
		norms[i] = math.Sqrt(floats.Dot(t.Row(i), t.Row(i)))
	}
	return norms
}
