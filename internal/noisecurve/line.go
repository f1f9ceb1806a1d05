package noisecurve

import "math"

// The constants of the fit were chosen on BSD400 with white noise and with photon noise.
const (
	modelError = 0.03 // relative error of a model of the noise, besides that of measuring
	robust     = 1.5  // standard errors from where on a point counts less

	// stabilizing is what the transform for photon noise adds to the variance, in squared gains. Below it, errors of
	// the variance do no harm.
	stabilizing = 0.375
)

// straight is a variance that depends linearly on the level.
type straight struct {
	at0, slope float64
	slopeError float64
}

func (s straight) at(level float64) float64 { return s.at0 + s.slope*level }

// fit fits a straight line to the points, robustly. Points count by their relative errors, as the model has them, and
// what lies above the line may be texture.
func fit(points []Point) (s straight) {
	least := math.Inf(1)
	model := make([]float64, len(points))
	for i, p := range points {
		model[i] = p.Variance
		least = min(least, p.Variance/2)
	}
	weights := make([]float64, len(points))
	for range fitRounds {
		for i, p := range points {
			r, unit := p.residual(model[i], s.slope)
			weights[i] = 1 / (unit * unit)
			if r = math.Abs(r); r > robust {
				weights[i] *= robust / r
			}
		}
		s = minSquares(points, weights)
		for i, p := range points {
			model[i] = max(least, s.at(p.Level))
		}
	}
	return s
}

func minSquares(points []Point, weights []float64) (s straight) {
	var sum, level, variance, xx, xy float64
	for i, p := range points {
		sum += weights[i]
		level += weights[i] * p.Level
		variance += weights[i] * p.Variance
	}
	level /= sum
	variance /= sum
	for i, p := range points {
		xx += weights[i] * (p.Level - level) * (p.Level - level)
		xy += weights[i] * (p.Level - level) * (p.Variance - variance)
	}
	if !(xx > 0) {
		return straight{at0: variance}
	}
	slope := xy / xx
	return straight{variance - slope*level, slope, 1 / math.Sqrt(xx)}
}

// residual returns how many standard errors the point is above a model's variance, and the standard error.
func (p Point) residual(model, gain float64) (r, unit float64) {
	floor := stabilizing * gain * gain
	v := p.Variance + floor
	model += floor
	unit = math.Hypot(p.Error/v, modelError)
	r = v/model - 1
	if r > 0 {
		unit = math.Hypot(unit, p.texture())
		r = math.Log(v / model)
	}
	return r / unit, model * unit
}

// texture guesses how far the logarithm of the variance may be too high because of texture, which is stronger at coarse
// than at fine frequencies and weakest at the finest.
func (p Point) texture() float64 {
	const (
		most        = 0.85 // of the variance
		finestLacks = 2.0  // texture in the variance over what the finest frequencies lack
		byCoarse    = 0.3
		unsettled   = 0.2
	)
	if p.Variance <= 0 {
		return 0
	}
	share := min(most, max(0, finestLacks*(1-p.Finest/p.Variance-p.Error/p.Variance)))
	few := min(1, max(0, 2-float64(p.Used)/float64(p.least)))
	return -math.Log(1-share) + byCoarse*max(0, p.Coarse/p.Variance-1) + unsettled*few
}

// cost adds up how badly a model agrees with the points (P. J. Huber's function). Points that may be texture count
// less: texture is alike all over an image, so many of them tell no more than one.
func cost(points []Point, model straight, gain float64) (sum float64) {
	const trusted = 0.15 // texture at which a point counts half
	for _, p := range points {
		r, _ := p.residual(max(math.SmallestNonzeroFloat64, model.at(p.Level)), gain)
		if r = math.Abs(r); r > robust {
			r = robust * (r - robust/2)
		} else {
			r *= r / 2
		}
		t := p.texture() / trusted
		sum += r / (1 + t*t)
	}
	return sum
}
