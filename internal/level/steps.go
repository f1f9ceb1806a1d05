package level

import (
	"math"
	"slices"
)

// Steps are the quantisation steps of a JPEG file, in gray levels and row by row, with the mean of the block first.
// Where a step is larger than the noise, the file has nothing of it. The zero value means that the steps are not known.
type Steps struct {
	Luma, Chroma [blockSide * blockSide]uint8
	ChromaHalved bool // chroma has fewer samples than luma
}

// Known reports whether there are steps.
func (s Steps) Known() bool { return s.Luma[1] > 0 }

// Largest returns the largest step, in gray levels. It is 0 if none are known.
func (s Steps) Largest() float64 { return float64(max(slices.Max(s.Luma[:]), slices.Max(s.Chroma[:]))) }

// minLeft is the share of a step below which normal numbers are nearly all rounded to zero.
const minLeft = 0.2

// inputs are a flag for known steps, the logarithms of their geometric means by band, and the subsampling. All are zero
// for steps that are not known.
func (s Steps) inputs(planes int) []float64 {
	tables := [][blockSide * blockSide]uint8{s.Luma, s.Chroma}[:min(planes, 2)]
	f := make([]float64, 1, 2+bands*len(tables))
	if s.Known() {
		f[0] = 1
	}
	for _, t := range tables {
		means := meanSteps(&t)
		f = append(f, means[:]...)
	}
	if planes == 3 {
		half := 0.0
		if s.ChromaHalved {
			half = 1
		}
		f = append(f, half)
	}
	return f
}

// meanSteps are logarithms of the geometric means of the steps in each band.
func meanSteps(table *[blockSide * blockSide]uint8) (means [bands]float64) {
	for i, v := range table[1:] {
		band := bandAt[i+1]
		means[band] += math.Log(max(1, float64(v))) / float64(bandSize[band])
	}
	return means
}

// left are the levels that noise has had before it was quantised with the steps, from the levels of the same bands
// after that: for the luma at full size. The levels stay if no steps are known.
func (s Steps) left(levels []float64, planes int) []float64 {
	f := make([]float64, len(levels))
	copy(f, levels)
	if !s.Known() {
		return f
	}
	means := meanSteps(&s.Luma)
	for i, v := range f {
		step := means[i%bands]
		if planes == 3 {
			step += math.Log(float64(root3))
		}
		f[i] = step + before(v-step)
	}
	return f
}

// before is the logarithm of the standard deviation of normal numbers that have a given one after rounding to integers.
// Below minLeft nothing is left, so that this is the least.
func before(after float64) float64 {
	at := 0
	for at < len(roundedLevels)-1 && roundedLevels[at+1].after < after {
		at++
	}
	if at == len(roundedLevels)-1 {
		return after
	}
	a, b := roundedLevels[at], roundedLevels[at+1]
	t := max(0, (after-a.after)/(b.after-a.after))
	return a.before + t*(b.before-a.before)
}

type roundedNoise struct{ before, after float64 }

// roundedLevels lists logarithms of standard deviations before and after rounding.
var roundedLevels = func() (list []roundedNoise) {
	for s := minLeft; s < 3; s *= 1.1 {
		sum := 0.0
		for k := 1.0; k < 12; k++ {
			share := math.Erfc((k-0.5)/s/math.Sqrt2) - math.Erfc((k+0.5)/s/math.Sqrt2)
			sum += k * k * share
		}
		list = append(list, roundedNoise{math.Log(s), math.Log(sum) / 2})
	}
	return list
}()
