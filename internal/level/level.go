package level

import (
	"math"
	"slices"
)

// Estimate is how much noise a picture has.
type Estimate struct {
	// Sigma is the standard deviation that a denoiser for white noise should be told, on the scale of the samples. For
	// noise that is not white it is higher than that of the noise.
	Sigma float64
	// Known is false if the picture is too small, clipped or flat to tell; Sigma is the level of white noise then.
	Known bool
}

// Measure estimates the noise of one gray or three colour planes of width x height samples, on a scale where 1 is
// white. White is the level that an estimator of white noise found, on the same scale. The result is the same for any
// number of workers; 0 workers means one for each processor.
func Measure(planes [][]float32, width, height int, white float64, steps Steps, workers int) Estimate {
	planes, contrast := distinct(planes)
	x := Inputs(planes, width, height, white, steps, workers)
	n := networks()[len(planes)]
	if x == nil || n == nil {
		return Estimate{Sigma: contrast * white}
	}
	told := min(math.Exp(n.predict(x)), highest)
	if told < Lowest {
		told = 0
	}
	return Estimate{contrast * told / 255, true}
}

// Bounds of predictions, in gray levels. Below Lowest, denoising changes nothing that can be seen, and pictures without
// noise are told about that. Nothing is learned of noise that is told more than highest.
const (
	Lowest  = 0.7
	highest = 128
)

// distinct returns one plane if all planes are equal, that is if a gray picture is stored in colour. Its noise is the
// same in all planes, so it is stronger by the square root of their number in the luma than noise that is independent.
func distinct(planes [][]float32) (few [][]float32, contrast float64) {
	if len(planes) == 0 || len(planes[0]) == 0 {
		return planes, 1
	}
	for _, p := range planes[1:] {
		for i, v := range p {
			if v != planes[0][i] {
				return planes, 1
			}
		}
	}
	return planes[:1], math.Sqrt(float64(len(planes)))
}

// Inputs are the numbers that networks work on: Features, the level that an estimator of white noise found, on the
// scale of the samples, and what the steps of the file tell. It returns nil where Features does.
func Inputs(planes [][]float32, width, height int, white float64, steps Steps, workers int) []float64 {
	f := Features(planes, width, height, workers)
	if f == nil {
		return nil
	}
	f = append(f, math.Log(255*white+floor))
	levels := make([]float64, 0, len(leftQuantiles)*bands)
	for _, q := range leftQuantiles {
		for band := range bands {
			levels = append(levels, f[band*len(quantiles)+q]) // the features begin with all blocks at full size
		}
	}
	return slices.Concat(f, steps.left(levels, len(planes)), steps.inputs(len(planes)))
}

// leftQuantiles are indices of quantiles. Networks also get the levels before quantisation at these.
var leftQuantiles = [...]int{1, 3}
