package stage

import "math"

// AggregationOffset is added to the degrees of freedom of a group in the denominator of the weight of its patches, so
// that the weight of a group without any is finite.
const AggregationOffset = 4

// KaiserWindow returns the weights of the samples of a patch when patches are averaged, side x side: a Kaiser window
// (Kaiser, Schafer: On the use of the I0-sinh window for spectrum analysis, IEEE Transactions on Acoustics, Speech, and
// Signal Processing, 1980) with beta = 2 in x and y, as BM3D uses (Dabov, Foi, Katkovnik, Egiazarian: Image denoising
// by sparse 3-D transform-domain collaborative filtering, IEEE Transactions on Image Processing, 2007).
func KaiserWindow(side int) []float64 {
	const beta = 2
	line := make([]float64, side)
	for i := range line {
		r := 2*float64(i)/float64(side-1) - 1
		line[i] = bessel0(beta*math.Sqrt(max(0, 1-r*r))) / bessel0(beta)
	}
	w := make([]float64, 0, side*side)
	for _, y := range line {
		for _, x := range line {
			w = append(w, x*y)
		}
	}
	return w
}

// bessel0 returns the modified Bessel function I0(x), by its power series.
func bessel0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-17*sum; k++ {
		term *= x / (2 * k) * x / (2 * k)
		sum += term
	}
	return sum
}
