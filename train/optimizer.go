package train

import "math"

// Optimizer changes parameters along a gradient.
type Optimizer interface {
	// Step updates theta in place.
	Step(theta, grad []float64, rate float64)
	// State returns the optimizer's memory for checkpoints; restoring it means copying into these slices.
	State() [][]float64
}

// GradientDescent is the update of the paper's Algorithm 1: W = W - rate dQ/dW.
type GradientDescent struct{}

// Step implements Optimizer.
func (GradientDescent) Step(theta, grad []float64, rate float64) {
	for i, g := range grad {
		theta[i] -= rate * g
	}
}

// State implements Optimizer: there is none.
func (GradientDescent) State() [][]float64 { return nil }

// Adam is the method of Kingma and Ba, Adam: a method for stochastic optimization, ICLR 2015, with its usual constants.
// It trains transforms far faster than gradient descent.
type Adam struct {
	step []float64 // one element: the number of steps taken
	m, v []float64
}

// NewAdam returns the optimizer for the given number of parameters.
func NewAdam(size int) *Adam {
	return &Adam{make([]float64, 1), make([]float64, size), make([]float64, size)}
}

// Step implements Optimizer.
func (a *Adam) Step(theta, grad []float64, rate float64) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-12
	a.step[0]++
	c1, c2 := 1-math.Pow(beta1, a.step[0]), 1-math.Pow(beta2, a.step[0])
	for i, g := range grad {
		a.m[i] = beta1*a.m[i] + (1-beta1)*g
		a.v[i] = beta2*a.v[i] + (1-beta2)*g*g
		theta[i] -= rate * (a.m[i] / c1) / (math.Sqrt(a.v[i]/c2) + epsilon)
	}
}

// State implements Optimizer.
func (a *Adam) State() [][]float64 { return [][]float64{a.step, a.m, a.v} }

// Rate is the learning rate of a step out of all steps.
type Rate func(step, steps int) float64

// ConstantRate is the paper's.
func ConstantRate(rate float64) Rate { return func(int, int) float64 { return rate } }

// DecayingRate rises linearly over the first 50 steps (or a fifth of all, if that is less), stays, and falls to 0.3 of
// the peak after half and to 0.1 after four fifths of the steps.
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

// CosineRate rises as DecayingRate and falls along half a cosine to a hundredth of the peak.
func CosineRate(peak float64) Rate {
	return func(step, steps int) float64 {
		warmUp := min(50, steps/5)
		if step < warmUp {
			return peak * float64(step+1) / float64(warmUp)
		}
		done := float64(step-warmUp) / float64(max(1, steps-1-warmUp))
		return peak * (0.01 + 0.99*(1+math.Cos(math.Pi*done))/2)
	}
}
