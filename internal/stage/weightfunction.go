package stage

import "github.com/blorc-denoise/blorc-denoise/internal/kernel"

// WeightFunction computes the penalties d and e of the lower-level problem of non-local stages from the coefficients of
// a group's columns. It is a small neural network that is applied to each coefficient; only the biases of its hidden
// units differ between transforms. Its inputs (features) for the pilot's coefficient p, the noisy one y and r = y - p,
// all in units of sigma, are
//
//	f0 = log(|p| + 0.05)   f1, f2 = log(rms p + 0.05)
//	f3 = log(|r| + 0.1)    f4, f5 = log(rms r + 0.1)
//	f6 = log(|y| + 0.3)
//
// f1 and f4 use the root mean square over the coefficients of the same column. f2 and f5 use that over the same
// coefficient of all columns of the group except the first; for the first column f2 = f1 and f5 = f4. The offsets come
// from package kernel. The outputs are
//
//	hidden = max(0, A f + bias + position t),   o = B' hidden + (B0 - A0 f0, B1),   d, e = exp(clip(o))
//
// t is the position of the column: 0 for the first column, and from -1 for the second column, in which the pilot has
// the most energy, to 1 for the last. clip bounds o to [kernel.MinLogWeight, kernel.MaxLogWeight].
type WeightFunction struct {
	A          []float64   // hidden x WeightFeatures, row-major
	B          []float64   // hidden x 2, row-major
	B0, A0, B1 float64     // A0 > 0 makes d smaller for larger coefficients of the pilot
	Position   []float64   // hidden
	Bias       [][]float64 // for each transform: hidden
}

// WeightFeatures is the number of features of a coefficient.
const WeightFeatures = kernel.Features

// Hidden returns the number of hidden units.
func (f *WeightFunction) Hidden() int { return len(f.Position) }

// ColumnPosition returns the position t in [-1, 1] of a column of a group of m.
func ColumnPosition(column, m int) float64 {
	if column == 0 || m < 3 {
		return 0
	}
	return -1 + 2*float64(column-1)/float64(m-2)
}

// BiasOf writes the biases of the hidden units for a column of a group of m and a transform.
func (f *WeightFunction) BiasOf(bias []float64, transform, column, m int) {
	t := ColumnPosition(column, m)
	for h := range bias {
		bias[h] = f.Bias[transform][h] + t*f.Position[h]
	}
}
