package denoise

import (
	"math"
	"slices"
)

const (
	// Channels are denoised together if the second largest of their three correlations is above minRelated. Of 407
	// parts of photographs, 256 samples wide and high, one has less. White noise in mixtures of pictures is better
	// removed from each alone up to 0.7.
	minRelated = 0.25
	// minSignal is how many standard errors the structure of a channel must be away from zero for its correlation to
	// count.
	minSignal = 8
	// maxRelated is the number of samples that it compares.
	maxRelated = 1 << 20
)

// related reports whether red, green and blue show the same things, as in photographs. The stains of a fluorescence
// microscope do not. It compares differences of neighbouring squares of several sizes, since correlated noise hides
// what small ones have in common. When it cannot distinguish structure from noise, it returns true.
func (img image) related() bool {
	known := false
	for _, side := range []int{4, 8, 16} {
		r, ok := img.correlation(side)
		if ok && r > minRelated {
			return true
		}
		known = known || ok
	}
	return !known
}

// halves are the differences of neighbouring squares of one channel, once in even and once in odd rows of squares. The
// noise of both is nearly independent, even if it is correlated over a few samples, so the mean of their products comes
// from the structure alone.
type halves struct{ even, odd []float64 }

// correlation returns the second largest of the correlations between the structures of two channels each, or false if
// there is too little structure. One channel that shows something else makes it small.
func (img image) correlation(side int) (second float64, ok bool) {
	var channels [3]halves
	var power [3]float64
	for i, p := range img.planes {
		h := differences(p, img.width, img.height, side)
		mean, err := meanProduct(h.even, h.odd)
		if !(mean > minSignal*err) {
			return 0, false
		}
		channels[i], power[i] = h, mean
	}
	var pairs []float64
	for i := range channels {
		for j := range i {
			a, b := channels[i], channels[j]
			one, _ := meanProduct(a.even, b.odd)
			other, _ := meanProduct(a.odd, b.even)
			pairs = append(pairs, (one+other)/2/math.Sqrt(power[i]*power[j]))
		}
	}
	slices.Sort(pairs)
	return pairs[1], true
}

// differences returns the differences between the means of squares and of those to the right, in pairs of rows of
// squares. Of large planes, it takes some pairs only.
func differences(plane []float32, width, height, side int) (h halves) {
	columns, pairs := width/side, height/side/2
	step := max(1, width*height/maxRelated)
	for pair := 0; pair < pairs; pair += step {
		for k, out := range []*[]float64{&h.even, &h.odd} {
			before := 0.0
			for column := range columns {
				sum := 0.0
				for y := range side {
					for _, v := range plane[((2*pair+k)*side+y)*width+column*side:][:side] {
						sum += float64(v)
					}
				}
				if column > 0 {
					*out = append(*out, sum-before)
				}
				before = sum
			}
		}
	}
	return h
}

// meanProduct returns the mean of the products of two lists, and its standard error.
func meanProduct(a, b []float64) (mean, err float64) {
	sum, squares := 0.0, 0.0
	for i, v := range a {
		p := v * b[i]
		sum += p
		squares += p * p
	}
	n := float64(len(a))
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean) / n)
}
