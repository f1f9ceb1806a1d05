package level

import (
	_ "embed"
	"math"
	"slices"
	"sync"
)

// Estimate is how much noise a picture has.
type Estimate struct {
	// Sigma is the standard deviation that a denoiser for white noise should be told, on the scale of the samples. For noise
	// that is not white it is higher than that of the noise.
	Sigma float64
	// Spread is how much the networks differ: the standard deviation of the logarithm of their levels. Above about 0.3 they
	// are unsure.
	Spread float64
	// Known is false if the picture is too small, clipped or flat to tell; Sigma is the level of white noise then.
	Known bool
}

// Measure estimates the noise of one gray or three colour planes of width x height samples, on a scale where 1 is white.
// white is the level that an estimator of white noise found, on the same scale. The remover is for a second look; without one there is none.
// The result is the same for any number of workers; 0 workers means one for each processor.
func Measure(planes [][]float32, width, height int, white float64, steps Steps, remove Remover, workers int) Estimate {
	return measureNoisy(planes, width, height, white, steps, remove, workers).orClean(planes, width, height, white, steps, remove, workers)
}

// measureNoisy is Measure without the networks that know clean photographs of cameras.
func measureNoisy(planes [][]float32, width, height int, white float64, steps Steps, remove Remover, workers int) Estimate {
	return Predict(networks(), planes, width, height, white, steps, remove, workers)
}

// Predict is what some networks tell.
func Predict(networks []*Network, planes [][]float32, width, height int, white float64, steps Steps, remove Remover, workers int) Estimate {
	planes, contrast := distinct(planes)
	x := Inputs(planes, width, height, white, steps, workers)
	mean, spread, known := predict(networks, x)
	if !known {
		return Estimate{Sigma: contrast * white}
	}
	if remove != nil {
		mean, spread = lookAgain(mean, spread, func(sigma float64) (float64, float64, bool) {
			f := SecondLook(planes, width, height, sigma, remove, workers)
			if f == nil {
				return 0, 0, false
			}
			return predict(networks, slices.Concat(x, f))
		})
	}
	told := min(max(raise(math.Exp(mean), spread), lowest), highest)
	return Estimate{contrast * combine(told, 255*white) / 255, spread, true}
}

// secondShare is the share of a look in the mean of its prediction and the one before.
const secondShare = 0.8

// lookAgain denoises with the predicted level and predicts again, until the level changes little. Levels are logarithms. The first prediction is
// often far too low for cameras that the networks do not know. A low level is not followed upwards: that may be texture.
func lookAgain(mean, spread float64, look func(sigma float64) (mean, spread float64, ok bool)) (float64, float64) {
	const (
		most    = 4
		moves   = 0.15 // least change, in logarithms, after which there is another look
		texture = 4.0  // grey levels below which a level that rose is not followed
	)
	for range most {
		m, s, ok := look(math.Exp(mean))
		if !ok {
			break
		}
		change := secondShare * (m - mean)
		mean, spread = mean+change, s
		if math.Abs(change) < moves || change > 0 && math.Exp(mean) < texture {
			break
		}
	}
	return mean, spread
}

// predict runs the network for as many inputs. Known is false if there is none.
func predict(networks []*Network, x []float64) (mean, spread float64, known bool) {
	for _, n := range networks {
		if len(x) == n.Inputs {
			mean, spread = n.Predict(x)
			return mean, spread, true
		}
	}
	return 0, 0, false
}

// raise adds the spread of the networks to the logarithm of a prediction, since they differ most over cameras that they were
// not trained with, and read too low there. It leaves low levels as they are: those may be texture.
func raise(told, spread float64) float64 {
	const none, all = 3.0, 6.0 // grey levels
	share := min(max(math.Log(told/none)/math.Log(all/none), 0), 1)
	return told * math.Exp(share*spread)
}

// distinct returns one plane if all planes are equal, that is if a gray picture is stored in colour. Its noise is the same
// in all planes, so it is stronger by the square root of their number in the luma than noise that is independent.
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

// Bounds of predictions, in grey levels. Below lowest denoising changes nothing that can be seen.
const (
	lowest  = 0.5
	highest = 75
)

// combine weighs a prediction against the level of an estimator of white noise, both in grey levels. Where they agree, the
// noise is white, and the estimator is the more accurate one. Where there is hardly any noise, the lower level is safe. Noise that is broad is told
// a higher level than the estimator finds, so a prediction that is higher has to be closer to count as the same.
func combine(told, white float64) float64 {
	const (
		clean  = 0.7  // grey levels: predictions are no lower for pictures without any noise
		strong = 40.0 // grey levels: predictions beyond hardly differ
	)
	if told < clean {
		return min(told, white)
	}
	if white <= 0 {
		return told
	}
	// Differences of logarithms below which the noise is white, and above which it is not.
	agree, differ := 0.5, 0.7
	if told > white {
		agree, differ = 0.2, 0.4
	}
	difference := math.Abs(math.Log(min(told, strong) / min(white, strong)))
	share := min(max((differ-difference)/(differ-agree), 0), 1)
	return math.Exp(share*math.Log(white) + (1-share)*math.Log(told))
}

// Inputs are the numbers that networks work on. It returns nil where Features does.
func Inputs(planes [][]float32, width, height int, white float64, steps Steps, workers int) []float64 {
	f := Statistics(planes, width, height, white, workers)
	if f == nil {
		return nil
	}
	return WithSteps(f, len(planes), steps)
}

// Statistics are Features and the level that an estimator of white noise found, on the scale of the samples.
func Statistics(planes [][]float32, width, height int, white float64, workers int) []float64 {
	f := Features(planes, width, height, workers)
	if f == nil {
		return nil
	}
	return append(f, math.Log(255*white+floor))
}

// WithSteps adds to Statistics what is known of the steps of the file.
func WithSteps(f []float64, planes int, steps Steps) []float64 {
	levels := make([]float64, 0, len(leftQuantiles)*bands)
	for _, q := range leftQuantiles {
		for band := range bands {
			levels = append(levels, f[band*len(quantiles)+q]) // the statistics begin with all blocks at full size
		}
	}
	return slices.Concat(f, steps.left(levels, planes), steps.inputs(planes))
}

// leftQuantiles are indices of quantiles. Networks also get the levels before quantisation at these.
var leftQuantiles = [...]int{1, 3}

// shipped holds networks for gray pictures and for colour, each for the first look and for the second. docs/level.md says how it was made.
//
//go:embed level.bin
var shipped []byte

var networks = sync.OnceValue(func() []*Network { return mustRead(shipped) })

// mustRead reads networks that are part of the program.
func mustRead(file []byte) []*Network {
	n, err := ReadNetworks(file)
	if err != nil {
		panic("level: " + err.Error()) // a test reads them
	}
	return n
}
