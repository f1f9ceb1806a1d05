package solve

import "github.com/blorc-denoise/blorc-denoise/internal/dct"

// DCT1D returns the orthonormal discrete cosine transform (type II) of length n. Row 0 is constant.
func DCT1D(n int) Transform { return Transform{n, n, dct.Matrix(n)} }

// DCTBasis returns the two-dimensional discrete cosine transform (type II, orthonormal) of patches of size x size
// samples without its constant row: (size^2 - 1) x size^2. Its rows span the patches of mean zero.
func DCTBasis(size int) Transform {
	a := dct.Matrix(size)
	t := NewTransform(size*size-1, size*size)
	for row := range t.K {
		fy, fx := (row+1)/size, (row+1)%size
		for y := range size {
			for x := range size {
				t.Row(row)[y*size+x] = a[fy*size+y] * a[fx*size+x]
			}
		}
	}
	return t
}

// DCTBasisWithMean returns the same transform with its constant row first: size^2 x size^2.
func DCTBasisWithMean(size int) Transform {
	constant := NewTransform(1, size*size)
	for i := range constant.W {
		constant.W[i] = 1 / float64(size)
	}
	dct, err := Stack(constant, DCTBasis(size))
	if err != nil {
		panic(err) // both have rows of size^2
	}
	return dct
}
