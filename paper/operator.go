package paper

import (
	"math"
	"math/rand/v2"

	"github.com/blorc-denoise/blorc-denoise/internal/dct"
	"github.com/blorc-denoise/blorc-denoise/internal/solve"
)

// finiteDifferences returns the operator of one-dimensional total variation times c, (n-1) x n. Row i gives c (x_(i+1)
// - x_i).
func finiteDifferences(n int, c float64) solve.Transform {
	t := solve.NewTransform(n-1, n)
	for i := range n - 1 {
		t.Row(i)[i], t.Row(i)[i+1] = -c, c
	}
	return t
}

// dct1D returns the orthonormal discrete cosine transform (type II) of length n, n x n.
func dct1D(n int) solve.Transform {
	return solve.Transform{K: n, N: n, W: dct.Matrix(n)}
}

// haar returns the orthonormal Haar wavelet basis of length n, n x n. n is a power of 2: A. Haar, "Zur Theorie der
// orthogonalen Funktionensysteme", Mathematische Annalen 69, 1910.
func haar(n int) solve.Transform {
	t := solve.NewTransform(n, n)
	row := 0
	add := func(from, width, half int) { // positive on the first half samples of the interval, negative on the others
		for i := range width {
			v := math.Sqrt(1 / float64(width))
			if i >= half {
				v = -v
			}
			t.Row(row)[from+i] = v
		}
		row++
	}
	add(0, n, n)
	for width := n; width > 1; width /= 2 {
		for from := 0; from < n; from += width {
			add(from, width, width/2)
		}
	}
	return t
}

// normal returns a k x n transform of normally distributed elements with standard deviation c.
func normal(k, n int, c float64, rng *rand.Rand) solve.Transform {
	t := solve.NewTransform(k, n)
	for i := range t.W {
		t.W[i] = c * rng.NormFloat64()
	}
	return t
}

// square appends rows of zeros until a transform has as many rows as columns, as all transforms of the paper have.
func square(t solve.Transform) solve.Transform {
	out := solve.NewTransform(t.N, t.N)
	copy(out.W, t.W)
	return out
}
