package estimate

import (
	"cmp"
	"math"
	"slices"
)

const (
	// weakShare is the share of the patches that count as weakly textured, and minWeak their least number, unless there
	// are fewer patches. These two and lowQuantile were chosen on crops of Urban-100 001-050 and on images of BSD400.
	weakShare = 0.006
	minWeak   = 60
	// lowQuantile is the quantile of the variances of the upper frequencies that is used, and normalQuantile the same
	// quantile of the standard normal distribution.
	lowQuantile    = 0.15
	normalQuantile = -1.0364333894937896
)

// Sigma returns the standard deviation of white Gaussian noise in an image, on the scale of the samples. The full scale
// is 0 to 1, so a result of 0.1 is 25.5 gray levels of 8 bits. Each plane has width x height samples in rows; Sigma
// panics if one has not. The noise is assumed to be independent and equally strong in all planes. Samples of exactly 0
// or 1 count as clipped, and patches with many of them are avoided.
//
// The result is finite, at least 0, and depends only on the samples. Its errors are these:
//
//   - It is too high for an image without any weakly textured place.
//   - It includes the noise that a photograph already had. Clean 8-bit photographs give 0.004 on average (1 gray
//     level).
//   - Small crops full of texture are the hard case. For the 40 images of BSD400 and 38 crops of Urban-100 that the
//     constants were chosen on, at sigma 5 of 255, the mean error is 3.4 % and the worst 12 %. If the noisy crop is
//     clipped, the mean error is 4.6 % and the worst 24 %.
//   - With strong noise, clipping makes the result too low: at sigma 50 of 255 by 3 to 4 % on average and by 20 % at
//     worst. A picture that is mostly white or black may give 0.
//   - Noise that a camera or a compressor has smoothed has little left in the high frequencies. The result is several
//     times too low.
//
// An image with fewer than 8 samples in one direction is measured with smaller patches. Below about 32 x 32 samples the
// result is rough. It is 0 for an image that is one sample wide or high, and for one whose samples are all equal. It
// does not depend on the number of workers; less than 1 means one for each processor.
func Sigma(planes [][]float32, width, height, workers int) float64 {
	for _, plane := range planes {
		if len(plane) != width*height {
			panic("estimate: plane does not have width x height samples")
		}
	}
	side := min(maxSide, width, height)
	if side < 2 || len(planes) == 0 {
		return 0
	}
	g := newGrid(planes, width, height, side)
	weak := weakest(usable(g.survey(workers), side))
	if len(weak) == 0 {
		return 0
	}
	return math.Sqrt(lowVariance(g.variances(weak), len(weak)))
}

// weakest returns the patches with the weakest texture. It sorts only these few, as sorting all patches would take as
// long as measuring them.
func weakest(patches []patch) []patch {
	wanted := max(int(weakShare*float64(len(patches))), minWeak)
	byTexture := func(a, b patch) int {
		return cmp.Or(cmp.Compare(a.texture, b.texture), cmp.Compare(a.order, b.order))
	}
	few := make([]patch, 0, wanted)
	for _, p := range patches {
		if len(few) == wanted {
			if byTexture(p, few[wanted-1]) > 0 {
				continue
			}
			few = few[:wanted-1]
		}
		at, _ := slices.BinarySearchFunc(few, p, byTexture)
		few = slices.Insert(few, at, p)
	}
	return few
}

// variances returns the mean square of each upper frequency over the patches.
func (g *grid) variances(patches []patch) []float64 {
	sums := make([]float64, len(g.high))
	for _, p := range patches {
		coefficients := g.transform(p)
		for i, f := range g.high {
			c := coefficients[f.vertical][f.horizontal]
			sums[i] += c * c
		}
	}
	for i := range sums {
		sums[i] /= float64(len(patches))
	}
	return sums
}

// lowVariance returns the variance of the noise whose expected low quantile is that of the given variances, each the
// mean of count squares. The quantile of the chi-squared distribution is the approximation by E. B. Wilson, M. M.
// Hilferty, "The distribution of chi-square", PNAS 17, 1931. variances is sorted in place.
func lowVariance(variances []float64, count int) float64 {
	slices.Sort(variances)
	position := lowQuantile * float64(len(variances)-1)
	at := int(position)
	low := variances[at]
	if at+1 < len(variances) {
		low += (position - float64(at)) * (variances[at+1] - low)
	}
	if len(variances) == 1 {
		return low // a single variance has no quantile and is unbiased
	}
	spread := 2 / (9 * float64(count))
	root := 1 - spread + normalQuantile*math.Sqrt(spread)
	return low / (root * root * root)
}
