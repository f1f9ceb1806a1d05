package solve

import "math"

// DCTBasis returns the two-dimensional discrete cosine transform (type II, orthonormal) of patches of side size without
// its constant row: (size^2 - 1) x size^2. Its rows span the patches of mean zero.
func DCTBasis(size int) Transform {
	oneD := make([][]float64, size)
	for f := range oneD {
		oneD[f] = make([]float64, size)
		norm := math.Sqrt(2 / float64(size))
		if f == 0 {
			norm = math.Sqrt(1 / float64(size))
		}
		for i := range oneD[f] {
			oneD[f][i] = norm * math.Cos(math.Pi*float64((2*i+1)*f)/float64(2*size))
		}
	}
	t := NewTransform(size*size-1, size*size)
	for row := range t.K {
		fy, fx := (row+1)/size, (row+1)%size
		for y := range size {
			for x := range size {
				t.Row(row)[y*size+x] = oneD[fy][y] * oneD[fx][x]
			}
		}
	}
	return t
}

// DCTBasisWithMean returns the DCT of DCTBasis with its constant row first: size^2 x size^2.
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
