package solve

import "github.com/blorc-denoise/blorc-denoise/internal/dct"

// DCTBasis returns the two-dimensional discrete cosine transform (type II, orthonormal) of patches of side size without
// its constant row: (size^2 - 1) x size^2. Its rows span the patches of mean zero.
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
