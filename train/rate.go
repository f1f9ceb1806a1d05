package train

import "math"

// Rate returns the learning rate of a step in [0, steps).
type Rate func(step, steps int) float64

// ConstantRate returns the rate of the paper, which is the same for all steps.
func ConstantRate(rate float64) Rate { return func(int, int) float64 { return rate } }

// DecayingRate returns a rate that rises linearly to the peak over the first 50 steps, or a fifth of all steps if that
// is less. It falls to 0.3 of the peak after half of the steps and to 0.1 after four fifths.
func DecayingRate(peak float64) Rate {
	return func(step, steps int) float64 {
		warmUp := min(50, steps/5)
		switch {
		case step < warmUp:
			return peak * float64(step+1) / float64(warmUp)
		case 2*step < steps:
			return peak
		case 5*step < 4*steps:
			return 0.3 * peak
		}
		return 0.1 * peak
	}
}

// cosineRate returns a rate that rises like DecayingRate and then falls along half a cosine to a hundredth of the peak.
func cosineRate(peak float64) Rate {
	return func(step, steps int) float64 {
		warmUp := min(50, steps/5)
		if step < warmUp {
			return peak * float64(step+1) / float64(warmUp)
		}
		done := float64(step-warmUp) / float64(max(1, steps-1-warmUp))
		return peak * (0.01 + 0.99*(1+math.Cos(math.Pi*done))/2)
	}
}
