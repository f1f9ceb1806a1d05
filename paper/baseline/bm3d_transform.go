package baseline

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/blorc-denoise/blorc-denoise/internal/dct"
)

// separable is a two-dimensional transform of square blocks, X -> A X A', and its inverse. The rows of A have norm 1,
// so white noise has the same standard deviation in every coefficient as in the samples.
type separable struct {
	size             int
	forward, inverse []float32 // size x size, row-major
}

func newSeparable(a *mat.Dense) separable {
	n, _ := a.Dims()
	var inverse mat.Dense
	if err := inverse.Inverse(a); err != nil {
		panic(err) // all transforms here are well-conditioned
	}
	t := separable{n, make([]float32, n*n), make([]float32, n*n)}
	for i := range n * n {
		t.forward[i], t.inverse[i] = float32(a.At(i/n, i%n)), float32(inverse.At(i/n, i%n))
	}
	return t
}

// apply sets dst = M X M', where m is t.forward or t.inverse. scratch has the size of a block. dst may be x.
func (t separable) apply(m, dst, x, scratch []float32) {
	n := t.size
	for r := range n { // scratch = X M'
		row := x[r*n : (r+1)*n]
		for j := range n {
			sum, coefficients := float32(0), m[j*n:(j+1)*n]
			for i, v := range row {
				sum += v * coefficients[i]
			}
			scratch[r*n+j] = sum
		}
	}
	for i := range n { // dst = M scratch
		out := dst[i*n : (i+1)*n]
		clear(out)
		for r, c := range m[i*n : (i+1)*n] {
			row := scratch[r*n : (r+1)*n]
			for j, v := range row {
				out[j] += c * v
			}
		}
	}
}

// cosines returns the orthonormal DCT-II matrix of size n x n.
func cosines(n int) *mat.Dense {
	return mat.NewDense(n, n, dct.Matrix(n))
}

// biorthogonal returns the n x n matrix of the periodic wavelet bior1.5, decomposed down to one coefficient and with
// rows scaled to norm 1. n is a power of 2: A. Cohen, I. Daubechies, J.-C. Feauveau, "Biorthogonal bases of compactly
// supported wavelets", Communications on Pure and Applied Mathematics 45(5), 1992.
func biorthogonal(n int) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	for column := range n {
		x := make([]float64, n)
		x[column] = 1
		for length := n; length > 1; length /= 2 {
			waveletStep(x[:length])
		}
		a.SetCol(column, x)
	}
	for i := range n {
		row := a.RawRowView(i)
		norm := mat.Norm(mat.NewVecDense(n, row), 2)
		for j := range row {
			row[j] /= norm
		}
	}
	return a
}

// waveletStep replaces x by its low-pass coefficients followed by its high-pass coefficients, half as many of each.
func waveletStep(x []float64) {
	low := [10]float64{3, -3, -22, 22, 128, 128, 22, -22, -3, 3}
	n := len(x)
	out := make([]float64, n)
	for k := range n / 2 {
		for j, c := range low {
			out[k] += c / 128 * math.Sqrt2 / 2 * x[(2*k+j-4+8*n)%n]
		}
		out[n/2+k] = (x[2*k] - x[2*k+1]) * math.Sqrt2 / 2
	}
	copy(x, out)
}

// kaiser returns the two-dimensional Kaiser window of a block of size x size samples.
func kaiser(size int, beta float64) []float32 {
	bessel := func(x float64) float64 { // I_0
		sum, term := 1.0, 1.0
		for k := 1; k < 30; k++ {
			term *= x / 2 / float64(k)
			sum += term * term
		}
		return sum
	}
	w := make([]float64, size)
	for i := range w {
		r := 2*float64(i)/float64(size-1) - 1
		w[i] = bessel(beta*math.Sqrt(1-r*r)) / bessel(beta)
	}
	out := make([]float32, size*size)
	for i := range out {
		out[i] = float32(w[i/size] * w[i%size])
	}
	return out
}

// hadamard applies the Walsh-Hadamard transform, not normalized, along the blocks of a group in place. The group holds
// count blocks of the given number of coefficients, one after the other; count is a power of 2. Applied twice it
// multiplies by count.
func hadamard(group []float32, count, coefficients int) {
	for half := 1; half < count; half *= 2 {
		for i := 0; i < count; i++ {
			if i&half != 0 {
				continue
			}
			a := group[i*coefficients:][:coefficients]
			b := group[(i+half)*coefficients:][:len(a)]
			for j, u := range a {
				v := b[j]
				a[j], b[j] = u+v, u-v
			}
		}
	}
}
