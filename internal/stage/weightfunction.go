package stage

// WeightFunction turns the coefficients of a group's columns into the penalties d and e of the non-local lower level. It
// is a small network, one for all coefficients, with hidden units of its own bias for each transform. With p the pilot's
// coefficient, y the noisy one and r = y - p, all in units of sigma, its features are
//
//	f0 = log(|p| + 0.05)   f1, f2 = log(rms p + 0.05)
//	f3 = log(|r| + 0.1)    f4, f5 = log(rms r + 0.1)
//	f6 = log(|y| + 0.3)
//
// where f1 and f4 take the root mean square over the coefficients of the same column, f2 and f5 over the same coefficient
// of the group's columns but the first (of the first column they equal f1 and f4). Then
//
//	hidden = max(0, A f + bias + position t),   o = B' hidden + (B0 - A0 f0, B1),   d, e = exp(clip(o))
//
// with t from -1 for the second column of the group, that of the most energy of the pilot, to 1 for the last, and 0 for
// the first.
type WeightFunction struct {
	A          []float64   // hidden x WeightFeatures
	B          []float64   // hidden x 2
	B0, A0, B1 float64     // A0 lets the pull to zero fall with the pilot before anything is learned
	Position   []float64   // hidden
	Bias       [][]float64 // of each transform: hidden
}

// WeightFeatures is the number of features of a coefficient.
const WeightFeatures = 7

// MinLogWeight and MaxLogWeight clip the logarithms of the penalties.
const (
	MinLogWeight = -5
	MaxLogWeight = 4
)

// Hidden is the number of hidden units.
func (f *WeightFunction) Hidden() int { return len(f.Position) }

// ColumnPosition is t of a column of a group of m.
func ColumnPosition(column, m int) float64 {
	if column == 0 || m < 3 {
		return 0
	}
	return -1 + 2*float64(column-1)/float64(m-2)
}

// BiasOf writes the hidden units' bias for a column of a group of m under a transform.
func (f *WeightFunction) BiasOf(bias []float64, transform, column, m int) {
	t := ColumnPosition(column, m)
	for h := range bias {
		bias[h] = f.Bias[transform][h] + t*f.Position[h]
	}
}
